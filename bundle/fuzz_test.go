package bundle

import (
	"bytes"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/internal/memfs"
)

// Whatever the bytes are, reading them ends with trees that can be walked or with one line of an error.
func FuzzReadArchive(f *testing.F) {
	capture, err := os.ReadFile(capturePath("6.1/nfs-v3-idle"))
	if err != nil {
		f.Fatal(err)
	}
	whole := pack(f, append(small("t0", 1000, 1), small("t1", 1010, 11)...)...)
	odd := pack(f, append(small("t0", 1000, 1), link("t0/sys/a", "a"), file("bundle.json", `{"moments":[{"name":"t1"}]}`), file("t0/errors.json", `{"/proc/a":"permission"}`))...)
	for _, seed := range [][]byte{capture, whole, odd, whole[:len(whole)/2], unzipped(f, whole), unzipped(f, odd), nil} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, data := range [][]byte{data, zipped(t, data)} { // mutations of what is packed reach the tar reader
			found, err := readArchive(bytes.NewReader(data))
			var b *Bundle
			if err == nil {
				b, err = assemble(found)
			}
			if err != nil {
				if strings.ContainsAny(err.Error(), "\n\r\x00\x1b") {
					t.Errorf("error %q", err)
				}
				continue
			}
			if len(b.Moments) == 0 || strings.ContainsAny(strings.Join(append(b.Notes, b.Host, b.Kernel), ""), "\n\x00\x1b") {
				t.Errorf("bundle %v", b)
			}
			for i, moment := range b.Moments {
				if i > 0 && !moment.Time.After(b.Moments[i-1].Time) {
					t.Errorf("%s is not after the moment before it", moment.Name)
				}
				readEverything(t, trees(b)[moment.Name])
			}
		}
	})
}

func readEverything(t *testing.T, tree fs.FS) {
	t.Helper()
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			_, _ = fs.ReadFile(tree, name) // may be a link to itself
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Whatever the two files with times hold, a time that is taken is a possible one.
func FuzzClock(f *testing.F) {
	f.Add(`{"moments":[{"name":"t0","time":"2026-11-30T10:00:00Z","monotonic":1}]}`, `{"clock":{"start":{"realtime":1000,"monotonic":1}}}`)
	f.Add(`{}`, `{"clock":{"start":{"realtime":1e300,"monotonic":-1}}}`)
	f.Add(`{"moments":[{"name":"t0","time":"9999-11-30T10:00:00Z","monotonic":1e308}]}`, `null`)
	f.Fuzz(func(t *testing.T, manifest, clock string) {
		parsed, err := parseManifest([]byte(manifest))
		if err != nil {
			return
		}
		moment := memfs.NewDirectory()
		moment.Children[clockName] = memfs.NewFile([]byte(clock))
		s, err := parsed.stamp("t0", moment)
		if err != nil {
			return
		}
		if s.wall.Before(time.Unix(0, 0)) || s.wall.Year() > 2200 || s.monotonic < 0 {
			t.Errorf("stamp %v", s)
		}
	})
}

// What is left of mountinfo and mountstats is made of the kernel's words, numbers and our own replacements, whatever
// the files hold.
var (
	maskedAddress = `(192\.0\.2\.\d+|198\.1[89]\.\d+\.\d+|2001:db8::[0-9a-f:]*|127\.\d+\.\d+\.\d+|0\.0\.0\.0|::1?)`
	maskedServer  = `(\[?` + maskedAddress + `\]?|server-\d+\.(example\.com|file\.core\.windows\.net))`
	maskedPath    = `(/|(export|mnt|share)-\d+)*`
	maskedOption  = `([a-z]+|(addr|mountaddr|clientaddr|srcaddr|ip)=` + maskedServer + `|[a-z0-9_]+=([a-z]+|[0-9a-fx.-]+|tcp6|udp6|rdma6|krb5[ip]*|ntlmv2i?|utf8|ENETDOWN:ENETUNREACH|LAYOUT[A-Z0-9_]+|not configured))?`
	maskedOptions = `(` + maskedOption + `(,` + maskedOption + `)*)`
	maskedSource  = `(source-\d+|//` + maskedServer + maskedPath + `|` + maskedServer + `:` + maskedPath + `)`
	maskedType    = `(nfs4?|cifs|smb3)`

	maskedMount  = regexp.MustCompile(`^\d+ \d+ \d+:\d+ ` + maskedPath + ` ` + maskedPath + ` ` + maskedOptions + `( (shared|master|propagate_from):\d+)* - ` + maskedType + ` ` + maskedSource + ` ` + maskedOptions + `$`)
	maskedStanza = regexp.MustCompile(`^(device ` + maskedSource + ` mounted on ` + maskedPath + ` with fstype ` + maskedType + `( statvers=[0-9.]+)*|` +
		`\t(opts|caps|nfsv4|sec):\t` + maskedOptions + `|` + `\s*[A-Za-z_0-9-]+[a-z .:/()\t0-9-]*)$`)
)

func FuzzMask(f *testing.F) {
	b, err := Open(capturePath("6.1/nfs-odd-paths-ipv6-v42-autofs-bind"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"proc/self/mountinfo", "proc/self/mountstats"} {
		f.Add(string(mustRead(f, b, name)[:3000]))
	}
	f.Add("20 1 0:41 / /a rw - cifs //srv/s rw,username=a,addr=fe80::1%a,b=c\ndevice a:/b mounted on /c with fstype nfs x\n\topts:\trw,a\n\tA: 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		m := newMask(true)
		for _, line := range strings.Split(string(lines([]byte(text), m.mountinfo)), "\n") {
			if line != "" && !maskedMount.MatchString(line) {
				t.Errorf("mountinfo line %q", line)
			}
		}
		for _, line := range strings.Split(string(m.mountstats([]byte(text))), "\n") {
			if line != "" && line+"\n" != localStanza && !maskedStanza.MatchString(line) {
				t.Errorf("mountstats line %q", line)
			}
		}
		_ = m.routes([]byte(text), routes4())
		_ = m.routes([]byte(text), routes6())
	})
}
