package bundle

import (
	"archive/tar"
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/windows"
	"github.com/nasight/nasight/schema"
)

const (
	multichannel = `[{"ServerName":"Secret-FS","ClientIpAddress":"10.9.8.7","ServerIpAddress":"10.9.8.6","ClientInterfaceFriendlyName":"Ethernet",` +
		`"ClientInterfaceIndex":5,"ClientRSSCapable":true,"CurrentChannels":4}]`
	shareCounters = `[{"Name":"\\secret-fs\\Payroll","ReadBytesPersec":100},{"Name":"_Total","ReadBytesPersec":100}]`
	connections   = `[{"ServerName":"SECRET-FS","ShareName":"Payroll","UserName":"CORP\\boss","Credential":"CORP\\boss","Dialect":"3.1.1","NumOpens":2}]`
)

// recordedMoment is a moment of a Windows host in a bundle.
func recordedMoment(name string) []tar.Header {
	return []tar.Header{
		file(name+"/windows/SmbMultichannelConnection.json", multichannel),
		file(name+"/windows/SmbClientShares.json", shareCounters),
	}
}

// samples runs the Windows collector over a moment.
func samples(t *testing.T, moment Moment) map[string]float64 {
	t.Helper()
	result := collectors.Once(t.Context(), windows.New(moment.Root), moment.Time)
	if result.Err != nil {
		t.Fatal(result.Err)
	}
	found := map[string]float64{}
	for _, sample := range result.Samples {
		found[sample.Family.Name+" "+strings.Join(sample.Labels, " ")] = sample.Value
	}
	return found
}

func TestBundleOfAWindowsHost(t *testing.T) {
	manifest := "\uFEFF" + `{"tool":"nasight capture.ps1","host":"CLIENT-1","kernel":"Windows 10.0.26100","moments":[` +
		`{"name":"t0","time":"2026-11-30T12:00:00.1234567Z","monotonic":5.5},{"name":"t1","time":"2026-11-30T12:00:05.1234567Z","monotonic":10.5}]}`
	members := append(recordedMoment("t0"), recordedMoment("t1")...)
	members = append(members, file("bundle.json", manifest), file("t1/errors.json", `{"/windows/SmbConnection.json":"permission: Access is denied."}`))
	b, err := Open(archive(t, members...))
	if err != nil {
		t.Fatal(err)
	}
	if b.Host != "CLIENT-1" || b.Kernel != "Windows 10.0.26100" || len(b.Moments) != 2 || len(b.Notes) != 0 {
		t.Fatalf("bundle %+v", b)
	}
	if passed := b.Moments[1].Time.Sub(b.Moments[0].Time); passed != 5*time.Second {
		t.Errorf("%s between the moments", passed)
	}
	if got := samples(t, b.Moments[0])[schema.SMBChannels.Name+" CLIENT-1 Secret-FS smb"]; got != 4 {
		t.Errorf("%v channels", got)
	}
	if _, err := fs.ReadFile(b.Moments[1].Root.Windows, "SmbConnection.json"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("what was refused: %v", err)
	}
}

func archive(t *testing.T, members ...tar.Header) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "b.tar.gz")
	if err := os.WriteFile(name, pack(t, members...), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestDirectoryOfAnswersIsOneMoment(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, below := range []string{".", "windows"} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, below), 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"channels.txt": "ServerName : fs1\nCurrentChannels : 2\nPSComputerName : CLIENT-2\n", "notes.md": "no answer"} {
			full := filepath.Join(dir, below, name)
			if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(full, at, at); err != nil {
				t.Fatal(err)
			}
		}
		b, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Moments) != 1 || !b.Moments[0].Time.Equal(at) || b.Host != "CLIENT-2" || len(b.Notes) != 0 {
			t.Errorf("in %s: bundle %+v", below, b)
		}
		if got := samples(t, b.Moments[0]); got[schema.SMBChannels.Name+" CLIENT-2 fs1 smb"] != 2 {
			t.Errorf("in %s: samples %v", below, got)
		}
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "holds no moment") {
		t.Errorf("empty directory: %v", err)
	}
}

// A directory of JSON or text of something else is no recording, and one that holds a bundle says which file it is.
func TestDirectoryWithoutAMoment(t *testing.T) {
	for name, row := range map[string]struct {
		files map[string]string
		want  string
	}{
		"other JSON":     {map[string]string{"package.json": `{"name":"x","version":"1.0.0"}`, "tsconfig.json": `{"compilerOptions":{}}`}, "no record of a Windows host: give a bundle"},
		"other text":     {map[string]string{"README.txt": "Read me\n\nkey : value\n"}, "no record of a Windows host"},
		"below windows/": {map[string]string{"windows/notes.txt": "key : value\n"}, "no record of a Windows host"},
		"a bundle":       {map[string]string{"moments.tar.gz": "x", "summary.json": "{}"}, `the bundle is "moments.tar.gz" in it`},
		"a short ending": {map[string]string{"client.tgz": "x"}, `the bundle is "client.tgz" in it`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range row.files {
				full := filepath.Join(dir, file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			refused(t, dir, row.want)
		})
	}
	for _, answer := range []string{multichannel, "[]"} {
		dir := t.TempDir()
		for file, text := range map[string]string{"package.json": `{"name":"x"}`, "SmbMultichannelConnection.json": answer} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if b, err := Open(dir); err != nil || len(b.Moments) != 1 {
			t.Errorf("%s beside other JSON: %v", answer, err)
		}
	}
}

func windowsHost() fstest.MapFS {
	return fstest.MapFS{
		"SmbMultichannelConnection.json": {Data: []byte(multichannel)},
		"SmbClientShares.json":           {Data: []byte(shareCounters)},
		"SmbConnection.json":             {Data: []byte(connections)},
		"SmbMapping.json":                {Data: []byte(`[{"LocalPath":"P:","RemotePath":"\\\\SECRET-FS\\payroll"}]`)},
		"SmbClientShareSamples.json":     {Data: []byte(`[{"Path":"\\\\boss-pc\\smb client shares(\\secret-fs\\payroll)\\write bytes/sec","RawValue":7}]`)},
		"other-secret.json":              {Data: []byte(`{"ServerName":"Secret-FS"}`)},
	}
}

// record takes one moment and opens what was written.
func record(t *testing.T, redact bool) (*Bundle, string) {
	t.Helper()
	empty := fstest.MapFS{}
	capture := Capture{
		Root:    collectors.Root{Host: "boss-pc", Procfs: empty, Sysfs: empty, Netlink: empty, Windows: windowsHost()},
		Entries: []collectors.Entry{windows.Entry()}, Tool: "nasight test", Moments: 1, Redact: redact,
	}
	var out bytes.Buffer
	if err := capture.Write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "b.tar.gz")
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return b, string(unzipped(t, out.Bytes()))
}

func TestCaptureOfAWindowsHost(t *testing.T) {
	b, _ := record(t, false)
	if got := samples(t, b.Moments[0]); got[schema.SMBReadBytes.Name+" boss-pc SECRET-FS Payroll smb "] != 100 {
		t.Errorf("samples %v", got)
	}
}

// A masked recording names nothing and leads to the same values.
func TestRedactedWindowsHost(t *testing.T) {
	plain, _ := record(t, false)
	masked, text := record(t, true)
	for _, secret := range []string{"secret", "payroll", "boss", "corp", "10.9.8"} {
		if strings.Contains(strings.ToLower(text), secret) {
			t.Errorf("%q is in the masked bundle", secret)
		}
	}
	before, after := samples(t, plain.Moments[0]), samples(t, masked.Moments[0])
	values := func(found map[string]float64) []float64 { return slices.Sorted(maps.Values(found)) }
	if !slices.Equal(values(before), values(after)) {
		t.Errorf("plain %v\nmasked %v", before, after)
	}
	if got := after[schema.SMBReadBytes.Name+" client-1 server-0001.example.com share-0001 smb "]; got != 100 {
		t.Errorf("masked %v", after)
	}
}

// Only properties that are read are kept, and of records that are read: what others say is not known to be harmless.
func TestMaskedAnswersKeepWhatIsReadAlone(t *testing.T) {
	for name, test := range map[string]struct {
		text        string
		gone, stays []string
	}{
		"columns": {"ServerName Selected Client IP Server IP Client Interface Index\n---------- -------- --------- --------- ----------------------\n" +
			"secret-fs  True     10.9.8.7  10.9.8.6  5\n", []string{"10.9.8", "secret"}, []string{"selected", "True"}},
		"addresses": {`{"ServerName":"fs","CurrentChannels":4,"IpAddresses":"10.20.30.40","Numbers":"1.2.3.4","MaxChannels":"10.20.30.40"}`,
			[]string{"10.20.30", "1.2.3", "numbers", "maxchannels"}, []string{`"currentchannels": "4"`}},
		"unknown":   {`[{"Name":"Boss PC","Serial":12345},{"Other":"\\\\secret\\x"}]`, []string{"Boss", "12345", "secret", "{"}, nil},
		"interface": {`{"Name":"Example LAN","InterfaceDescription":"Example (R) #2","Enabled":true,"NumberOfReceiveQueues":8}`, []string{"Example"}, []string{`"8"`}},
		"traffic":   {`{"Name":"Example [R] _2","BytesReceivedPersec":5}`, []string{"Example"}, []string{`"5"`}},
		"counter":   {`{"Name":"secret-fs","ReadBytesPersec":5}`, []string{"secret"}, []string{`"5"`}},
		"grouped":   {`{"Name":"_Total","ReadBytesPersec":"1,234,567","AvgReadQueueLength":"1.5"}`, nil, []string{"1,234,567", "1.5", "_Total"}},
	} {
		masked, ok := newMask(true).answers(member{name: "windows/X.txt", data: []byte(test.text)})
		if !ok {
			t.Errorf("%s: not masked", name)
		}
		for _, text := range test.gone {
			if strings.Contains(strings.ToLower(string(masked.data)), strings.ToLower(text)) {
				t.Errorf("%s: %q is kept: %s", name, text, masked.data)
			}
		}
		for _, text := range test.stays {
			if !strings.Contains(string(masked.data), text) {
				t.Errorf("%s: %q is gone: %s", name, text, masked.data)
			}
		}
	}
}
