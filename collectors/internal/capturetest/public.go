package capturetest

import (
	"os"
	"path/filepath"
	"testing"
)

// fixturesVariable names the directory of published inputs, where it does not lie beside the repository.
const fixturesVariable = "NASIGHT_FIXTURES"

// Public reads an input that another project published, such as ss_tcpinfo/NAME. Some come under licences that keep
// them out of this repository, so they are looked for beside it. The test is skipped where there are none; a directory
// that was named and is not there fails it.
func Public(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(publicRoot(t), filepath.FromSlash(name)))
	if err != nil {
		t.Fatalf("published input: %v", err)
	}
	return data
}

// PublicNames lists the published inputs in a directory, such as mountstats, sorted. It skips the test as Public does.
func PublicNames(t testing.TB, directory string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(publicRoot(t), directory))
	if err != nil {
		t.Fatalf("published inputs: %v", err)
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}

func publicRoot(t testing.TB) string {
	t.Helper()
	root, named := os.LookupEnv(fixturesVariable)
	if !named {
		root = filepath.Join(moduleRoot(t), "..", "shared", "fixtures", "public")
	}
	info, err := os.Stat(root)
	switch {
	case err == nil && info.IsDir():
		return root
	case named:
		t.Fatalf("%s=%s is no directory of published inputs (error %v)", fixturesVariable, root, err)
	default:
		t.Skipf("published inputs are not beside the repository (%s names another place): "+
			"the package's own inputs cover the same peculiarities", fixturesVariable)
	}
	return ""
}
