package envelope

import (
	"math"
	"strings"
	"testing"
)

// TestQueryErrors: one line that names the field, what was given and what is allowed.
func TestQueryErrors(t *testing.T) {
	good := Query{Protocol: NFSv3, Level: Extreme, BlockBytes: 64 * kib, ReadShare: .75}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change func(*Query)
		want   string
	}{
		{func(q *Query) { q.Protocol = "ftp" }, `protocol "ftp" is not known: use nfsv3, nfsv4.1, smb, iscsi`},
		{func(q *Query) { q.Protocol = "" }, `protocol "" is not known`},
		{func(q *Query) { q.Level = "ultra" }, `service level "ultra" is not known: use standard, premium, extreme, flex_file, flex_file_custom, flex_unified_custom`},
		{func(q *Query) { q.Level = largeLevel }, `service level "extreme_large_volume" is not known`},
		{func(q *Query) { q.BlockBytes = 0 }, "block of 0 bytes is out of range: 1 byte to 16 MiB"},
		{func(q *Query) { q.BlockBytes = -4096 }, "block of -4096 bytes"},
		{func(q *Query) { q.BlockBytes = MaxBlockBytes + 1 }, "block of 1.6777217e+07 bytes"},
		{func(q *Query) { q.BlockBytes = math.NaN() }, "block of NaN bytes"},
		{func(q *Query) { q.BlockBytes = math.Inf(1) }, "block of +Inf bytes"},
		{func(q *Query) { q.ReadShare = 75 }, "read share 75 is out of range: 0 (all writes) to 1 (all reads)"},
		{func(q *Query) { q.ReadShare = -.1 }, "read share -0.1"},
		{func(q *Query) { q.ReadShare = math.NaN() }, "read share NaN"},
		{func(q *Query) { q.CapacityGiB = -1 }, "capacity of -1 GiB is out of range: 1 to 10485760, or 0 for not known"},
		{func(q *Query) { q.CapacityGiB = .5 }, "capacity of 0.5 GiB"},
		{func(q *Query) { q.CapacityGiB = math.NaN() }, "capacity of NaN GiB"},
		{func(q *Query) { q.CapacityGiB = math.Inf(1) }, "capacity of +Inf GiB"},
		{func(q *Query) { q.Level, q.LargeCapacity = Standard, true }, `large capacity on service level "standard" has no published benchmark: use premium, extreme`},
	} {
		q := good
		c.change(&q)
		_, err := load(t).Ceiling(q)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: error %v, want %q", q, err, c.want)
		}
		if _, err := load(t).Plot(q); err == nil {
			t.Errorf("%+v: drawn all the same", q)
		}
		if err := load(t).Text(&strings.Builder{}, q); err == nil {
			t.Errorf("%+v: written all the same", q)
		}
	}
}

func TestParseBlock(t *testing.T) {
	for text, want := range map[string]float64{
		"64KiB": 65536, "64k": 65536, "64K": 65536, "64 KiB": 65536, "65536": 65536, "65536B": 65536, " 8k ": 8192,
		"1MiB": mib, "1m": mib, "0.5m": mib / 2, "16MiB": MaxBlockBytes, "1": 1, "1.5k": 1536, ".5k": 512,
	} {
		if got, err := ParseBlock(text); err != nil || got != want {
			t.Errorf("%q: %g, %v; want %g", text, got, err, want)
		}
	}
	for _, text := range []string{"", "k", "KiB", "64KB", "64kB", "64MB", "0", "0k", "0.5", "-8k", "+8k", "1e3", "0x10", "inf", "NaN", "17MiB", "1GiB",
		"8 8k", "8k8", "8kk", "1_000", "1.2.3k", "64,5k", "８k", strings.Repeat("9", 400)} {
		if got, err := ParseBlock(text); err == nil || got != 0 || !strings.Contains(err.Error(), "64KiB") {
			t.Errorf("%q: %g, %v; want an error with an example", text, got, err)
		}
	}
}

func TestParseReadShare(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "1": 1, "0.75": .75, "75%": .75, "75 %": .75, "100%": 1, "0%": 0, "12.5%": .125} {
		if got, err := ParseReadShare(text); err != nil || math.Abs(got-want) > 1e-15 {
			t.Errorf("%q: %g, %v; want %g", text, got, err, want)
		}
	}
	for _, text := range []string{"", "%", "75", "1.01", "101%", "-0", "NaN", "inf", "1e-1", "half", "0.5 of", "5%%"} {
		if got, err := ParseReadShare(text); err == nil || got != 0 || !strings.HasPrefix(err.Error(), "read share ") {
			t.Errorf("%q: %g, %v; want an error", text, got, err)
		}
	}
}

func TestParseCapacity(t *testing.T) {
	for text, want := range map[string]float64{"1500": 1500, "1500GiB": 1500, "1500g": 1500, "75TiB": 76800, "1.5t": 1536, "10PiB": maxCapacityGiB, "1": 1} {
		if got, err := ParseCapacity(text); err != nil || got != want {
			t.Errorf("%q: %g, %v; want %g", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "0.5", "11PiB", "5TB", "5GB", "-1", "NaN", "512MiB"} {
		if got, err := ParseCapacity(text); err == nil || got != 0 || !strings.HasPrefix(err.Error(), "capacity ") {
			t.Errorf("%q: %g, %v; want an error", text, got, err)
		}
	}
}

func TestParseNames(t *testing.T) {
	for text, want := range map[string]string{"nfsv3": NFSv3, "NFSV3": NFSv3, "nfs3": NFSv3, "NFSv4.1": NFSv41, "NFSV4": NFSv41, "nfs4.1": NFSv41, "nfsv41": NFSv41,
		"\x20smb\x20": SMB, "iSCSI": ISCSI} {
		if got, err := ParseProtocol(text); err != nil || got != want {
			t.Errorf("protocol %q: %q, %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{"Extreme": Extreme, "PREMIUM": Premium, "standard": Standard, "flex-file": FlexFile, "flex_file_custom": FlexFileCustom,
		"FLEX_UNIFIED": FlexUnifiedCustom, "flex-unified-custom": FlexUnifiedCustom} {
		if got, err := ParseLevel(text); err != nil || got != want {
			t.Errorf("level %q: %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "nfs", "nfsv2", "cifs", "flex"} {
		if got, err := ParseProtocol(text); err == nil || got != "" || !strings.Contains(err.Error(), "use nfsv3") {
			t.Errorf("protocol %q: %q, %v; want an error", text, got, err)
		}
		if got, err := ParseLevel(text); err == nil || got != "" || !strings.Contains(err.Error(), "use standard") {
			t.Errorf("level %q: %q, %v; want an error", text, got, err)
		}
	}
}
