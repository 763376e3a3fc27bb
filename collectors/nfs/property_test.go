package nfs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nasight/nasight/collectors/internal/kernel"
)

// kernelEscape writes a name as the kernel does in these files.
func kernelEscape(name string) string {
	return strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`).Replace(name)
}

func anyNumbers(t *rapid.T, label string, most int) []Number {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Number {
		return Number(rapid.Uint64Max(uint64(Absent)-1).Draw(t, "value"))
	}), 1, most).Draw(t, label)
}

func joinNumbers(values []Number) string {
	words := make([]string, len(values))
	for i, value := range values {
		words[i] = fmt.Sprint(uint64(value))
	}
	return strings.Join(words, " ")
}

// padded is what a line of so many values leaves in an array of width fields.
func padded(values []Number, width int) []Number {
	out := append([]Number(nil), values...)
	for len(out) < width {
		out = append(out, Absent)
	}
	return out
}

// TestWrittenMountIsReadBack: any mount, written as the kernel would, is read back as it was.
func TestWrittenMountIsReadBack(t *testing.T) {
	name := rapid.StringMatching(`/[a-zé \t\\#:-]{0,20}`)
	rapid.Check(t, func(t *rapid.T) {
		source, mountPoint := "h:"+name.Draw(t, "source"), name.Draw(t, "mount point")
		age := anyNumbers(t, "age", 1)
		sizes := anyNumbers(t, "bytes", byteFields)
		transports := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) []Number {
			return anyNumbers(t, "transport", transportFields)
		}), 0, 4).Draw(t, "transports")
		operations := rapid.MapOfN(rapid.StringMatching(`[A-Z_]{1,12}`), rapid.Custom(func(t *rapid.T) []Number {
			return anyNumbers(t, "operation", operationFields)
		}), 0, 5).Draw(t, "operations")

		text := fmt.Sprintf("device %s mounted on %s with fstype nfs4 statvers=1.1\n\tage:\t%s\n\tbytes:\t%s \n",
			kernelEscape(source), kernelEscape(mountPoint), joinNumbers(age), joinNumbers(sizes))
		for _, values := range transports {
			text += "\txprt:\ttcp " + joinNumbers(values) + "\n"
		}
		text += "\tper-op statistics\n"
		for operation, values := range operations {
			text += fmt.Sprintf("\t%12s: %s\n", operation, joinNumbers(values))
		}

		all := parseAll(text, func(reason string, _ int) { t.Fatalf("skipped %s", reason) })
		if len(all) != 1 {
			t.Fatalf("%d mounts", len(all))
		}
		got := all[0]
		if kernel.Unescape(string(got.Source)) != source || kernel.Unescape(string(got.MountPoint)) != mountPoint || got.Age != age[0] {
			t.Fatalf("%q on %q of age %d", got.Source, got.MountPoint, got.Age)
		}
		equal(t, padded(sizes, byteFields), got.Bytes[:])
		if len(got.Transports) != len(transports) || len(got.Operations) != len(operations) {
			t.Fatalf("%d transports, %d operations", len(got.Transports), len(got.Operations))
		}
		for i, values := range transports {
			equal(t, padded(values, transportFields), got.Transports[i].Values[:])
		}
		for _, operation := range got.Operations {
			equal(t, padded(operations[string(operation.Name)], operationFields), operation.Values[:])
		}
	})
}

func equal(t *rapid.T, want, got []Number) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

// TestNumbers compares the parser of single words with what they mean.
func TestNumbers(t *testing.T) {
	for word, want := range map[string]Number{
		"0": 0, "007": 7, "9223372036854775807": 1<<63 - 1, "9223372036854775808": Absent, "18446744073709551615": Absent,
		"": Absent, "-1": Absent, "+1": Absent, "1.5": Absent, "0x10": Absent, "1\x20": Absent, "99999999999999999999": Absent,
	} {
		if got := kernel.ParseNumber(word); got != want {
			t.Errorf("%q is %d, not %d", word, uint64(got), uint64(want))
		}
	}
}
