package bundle

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The files of cifs are masked with the replacements that mountinfo gets, and keep what the collector reads.
func TestMaskCIFS(t *testing.T) {
	m := newMask(true)
	mount := string(lines([]byte(`20 1 0:41 / /mnt/s rw - cifs //files.corp.test/share\040#two/sub rw,addr=fd00:0000:0000:0000:0000:0000:0000:0002,username=lab`+"\n"), m.mountinfo))
	if want := "20 1 0:41 / /mnt-0001/mnt-0002 rw - cifs //server-0001.example.com/share-0001/share-0002 rw,addr=2001:db8::1,username=masked\n"; mount != want {
		t.Errorf("mountinfo %q", mount)
	}
	for name, c := range map[string]struct{ file, text, want string }{
		"server": {"DebugData", "1) ConnectionId: 0x11 Hostname: files.corp.test \nClientGUID: 9F276144-4FBD-C54E-AC8B-964B31E115BA\n",
			"1) ConnectionId: 0x11 Hostname: server-0001.example.com\nClientGUID: 00000000-0000-0000-0000-000000000000\n"},
		"session": {"DebugData", "\t1) Address: fd00:0000:0000:0000:0000:0000:0000:0002 Uses: 1 Capability: 0x300047\tSession Status: 1 \n\tSecurity type: RawNTLMSSP  SessionId: 0xb8301f27\n\tUser: 0 Cred User: 1234\n",
			"\t1) Address: 2001:db8::1 Uses: 1 Capability: 0x300047\tSession Status: 1\n\tSecurity type: RawNTLMSSP  SessionId: 0x1\n\tUser: 0 Cred User: 1001\n"},
		"old session": {"DebugData", "1) Name: files.corp.test  Domain: CORP NORTH Uses: 1 OS: Windows 5.1 corp \n\tNOS: LAN Corp\tCapability: 0x1\n2) entry for files.corp.test not fully displayed\n",
			"1) Name: server-0001.example.com Uses: 1\n\t\tCapability: 0x1\n2) entry for server-0001.example.com not fully displayed\n"},
		"shares": {"DebugData", "\t0) IPC: \\\\files.corp.test\\IPC$ Mounts: 1\n\t1) \\\\files.corp.test\\share #two Mounts: 1 DevInfo: 0x20 secret\nDFS leaf full path: \\\\corp.test\\dfs\\link\n",
			"\t0) IPC: \\\\server-0001.example.com\\IPC$ Mounts: 1\n\t1) \\\\server-0001.example.com\\share-0001 Mounts: 1 DevInfo: 0x20\nDFS leaf full path: \\\\server-0002.example.com\\share-0003\\share-0004\n"},
		"witness": {"DebugData", "--\n\nWitness registrations:\nId: 1 Network name: files.corp.test\n", "--\n"},
		"stats": {"Stats", "1) \\\\files.corp.test\\share #two\tDISCONNECTED \nSMBs: 483 since 2026-11-30 08:55:48 UTC\n  8\t\t459\t3844\t\t3\t170\n  3 slow responses from files.corp.test for command 8\n",
			"1) \\\\server-0001.example.com\\share-0001\tDISCONNECTED\nSMBs: 483 since 2026-11-30 08:55:48 UTC\n  8\t\t459\t3844\t\t3\t170\n"},
		"open files": {"open_files", "# Version:1\n# <tree id> <ses id> <uid> <filename> <lease> <lease-key>\n0x1 0xb8301f27 0 my file RHW d73b6c06-5e0c-184e-bf7e-55f9777b274d\n0x1 odd\n",
			"#\n# <tree id> <ses id> <uid> <filename> <lease> <lease-key>\n0x1 0x1 0 file-0001 RHW lease-0001\n"},
		"parameters": {"mount_params", "multichannel:noflag\nsecret path\n", "multichannel:noflag\n"},
	} {
		t.Run(name, func(t *testing.T) {
			// One after the other, so that replacements carry over as they do within a moment.
			own := newMask(true)
			own.names, own.count = cloneNames(m)
			if diff := cmp.Diff(c.want, string(own.cifs(c.file, []byte(c.text)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func cloneNames(m *mask) (names map[string]string, count map[string]int) {
	names, count = map[string]string{}, map[string]int{}
	for key, value := range m.names {
		names[key] = value
	}
	for key, value := range m.count {
		count[key] = value
	}
	return names, count
}

// FuzzMaskCIFS: whatever the files hold, only the kernel's words, numbers and our own replacements are left.
func FuzzMaskCIFS(f *testing.F) {
	b, err := Open(capturePath("6.12/smb-two-shares-two-servers"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"DebugData", "Stats", "open_files"} {
		f.Add(name, string(mustRead(f, b, "proc/fs/cifs/"+name)))
	}
	f.Add("DebugData", "1) Name: a Domain: b Uses: 1 OS: c\n\tNOS: d\tCapability: 0x1\n2) \\\\a\\b\\c Mounts: x\n DFS leaf full path: \\\\a")
	f.Add("DebugData", "2) \\\\a \\\\b\\c Mounts: x\n")
	ours := regexp.MustCompile(`^(` + maskedServer + `|\\\\` + maskedServer + `((\\share-\d+)+\\?|\\(?i:IPC\$))?\\?|0x[0-9a-f]+|00000000(-0{4}){3}-0{12}|Features:|(file|lease)-\d+|#|<[a-z -]+>|` +
		`<[a-z-]+|[a-z]+>|[RHW]+|NONE|DFS|leaf|full|path:)$`)
	f.Fuzz(func(t *testing.T, name, text string) {
		m := newMask(true)
		if name != "DebugData" && name != "Stats" && name != "open_files" {
			name = "DebugData"
		}
		for line := range strings.Lines(string(m.cifs(name, []byte(text)))) {
			if strings.HasPrefix(line, "Features:") {
				continue
			}
			for word := range strings.FieldsSeq(line) {
				if !m.known.cifs[word] && !cifsNumber.MatchString(word) && !ours.MatchString(word) && !plainWord.MatchString(word) {
					t.Errorf("%s keeps %q in %q", name, word, line)
				}
			}
		}
	})
}
