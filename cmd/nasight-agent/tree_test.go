package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unpackMoment writes one moment of a recorded scenario, such as 6.1/nfs-v3-idle, below a new directory.
func unpackMoment(t testing.TB, scenario, moment string) string {
	t.Helper()
	dir := t.TempDir()
	file, err := os.Open(filepath.Join("..", "..", "testdata", "captures", filepath.FromSlash(scenario), "moments.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if err := unpack(dir, file, moment+"/"); err != nil {
		t.Fatalf("unpack %s of %s: %v", moment, scenario, err)
	}
	return dir
}

func unpack(dir string, packed io.Reader, prefix string) error {
	plain, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	for archive := tar.NewReader(plain); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name, wanted := strings.CutPrefix(strings.TrimPrefix(header.Name, "./"), prefix)
		if !wanted || !filepath.IsLocal(name) {
			continue
		}
		if err := unpackOne(filepath.Join(dir, name), header, archive); err != nil {
			return err
		}
	}
}

func unpackOne(path string, header *tar.Header, content io.Reader) error {
	if header.Typeflag == tar.TypeDir {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if header.Typeflag == tar.TypeSymlink {
		return os.Symlink(header.Linkname, path)
	}
	data, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// manyMounts is a recorded host whose one NFS 4.1 mount is there many times, each with many transports.
func manyMounts(t testing.TB, mounts, transports int) string {
	t.Helper()
	dir := unpackMoment(t, "6.1/nfs-v41-seqread16-nconnect4", "t0")
	infoPath, statsPath := filepath.Join(dir, "proc/self/mountinfo"), filepath.Join(dir, "proc/self/mountstats")
	info, stats := read(t, infoPath), read(t, statsPath)
	var mount string
	for line := range strings.Lines(info) {
		if strings.Contains(line, " - nfs4 ") {
			mount = line
		}
	}
	before, stanza, found := strings.Cut(stats, "device 10.10.")
	fields := strings.Fields(mount)
	if mount == "" || !found {
		t.Fatal("the recording has no NFS mount")
	}
	device, point := fields[2], fields[4]
	stanza = widen("device 10.10."+stanza, transports)
	var infos, many strings.Builder
	for i := range mounts {
		number := fmt.Sprintf("0:%d", 1000+i)
		replace := strings.NewReplacer(" "+device+" ", " "+number+" ", " "+point+" ", fmt.Sprintf(" /mnt/volume%d ", i),
			":/srv/vol1", fmt.Sprintf(":/srv/volume%d", i))
		infos.WriteString(replace.Replace(mount))
		many.WriteString(replace.Replace(stanza))
		write(t, filepath.Join(dir, "sys/class/bdi", number, "read_ahead_kb"), "128\n")
	}
	write(t, infoPath, strings.ReplaceAll(info, mount, infos.String()))
	write(t, statsPath, before+many.String())
	return dir
}

// widen repeats the first transport of a mountstats stanza in place of all.
func widen(stanza string, transports int) string {
	var out strings.Builder
	done := false
	for line := range strings.Lines(stanza) {
		switch {
		case !strings.HasPrefix(line, "\txprt:"):
			out.WriteString(line)
		case !done:
			out.WriteString(strings.Repeat(line, transports))
			done = true
		}
	}
	return out.String()
}

// manyShares is a recording of a host with so many shares of one SMB server, over four channels. Each share is what the one
// of the recording is.
func manyShares(t testing.TB, shares int) string {
	t.Helper()
	dir := unpackMoment(t, "7.3/smb311-4ch-single-thread-64k", "t0")
	for _, file := range []struct{ path, from, to string }{
		{"proc/self/mountinfo", "", "\n"},
		{"proc/fs/cifs/DebugData", "\t1) \\\\10.10.2.2\\share1", "\n\n"},
		{"proc/fs/cifs/Stats", "1) \\\\10.10.2.2\\share1", "\x00"},
	} {
		path := filepath.Join(dir, file.path)
		text := read(t, path)
		before, block, after := cutShare(t, text, file.from, file.to)
		var many strings.Builder
		for i := range shares {
			many.WriteString(strings.NewReplacer("share1", fmt.Sprintf("share%d", i), "1) ", fmt.Sprintf("%d) ", i+1),
				" /mnt/s ", fmt.Sprintf(" /mnt/s%d ", i), " 0:", fmt.Sprintf(" %d:", i)).Replace(block))
		}
		write(t, path, before+many.String()+after)
	}
	return dir
}

// cutShare takes out the part of a file that is about the share: the line that names it, or what from begins and to ends.
func cutShare(t testing.TB, text, from, to string) (before, block, after string) {
	t.Helper()
	start := strings.Index(text, from)
	if from == "" {
		start = strings.LastIndex(text[:max(strings.Index(text, " - cifs "), 0)], "\n") + 1
	}
	if start < 0 {
		t.Fatal("the recording has no share")
	}
	end := strings.Index(text[start:], to)
	if end < 0 {
		return text[:start], text[start:], ""
	}
	return text[:start], text[start : start+end+len(to)], text[start+end+len(to):]
}

func TestAgentShowsManyShares(t *testing.T) {
	url, stop := runAgent(t, manyShares(t, 100), "")
	defer stop()
	awaitReady(t, url)
	_, body := get(t, url+"/metrics")
	for _, family := range []string{"nasight_smb_mount_info{", "nasight_smb_read_bytes_total{", "nasight_smb_open_files{"} {
		if got := strings.Count(body, "\n"+family); got != 100 {
			t.Errorf("%d series of %s, want 100", got, family)
		}
	}
}
