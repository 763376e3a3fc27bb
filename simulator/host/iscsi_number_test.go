package host

import "testing"

// TestDiskNumbers: the numbers are those that the kernel gives SCSI disks.
func TestDiskNumbers(t *testing.T) {
	for name, want := range map[string][2]int{
		"sda": {8, 0}, "sdb": {8, 16}, "sdp": {8, 240}, "sdq": {65, 0}, "sdz": {65, 144}, "sdaa": {65, 160}, "sddx": {71, 240}, "sddy": {128, 0}, "sdiv": {135, 240},
		"sdiw": {8, 256}, "sdix": {8, 272},
	} {
		if major, minor := diskNumber(name); major != want[0] || minor != want[1] {
			t.Errorf("%s is %d:%d, want %d:%d", name, major, minor, want[0], want[1])
		}
	}
}

func TestMapNames(t *testing.T) {
	for n, want := range map[int]string{0: "mpatha", 25: "mpathz", 26: "mpathaa", 701: "mpathzz", 702: "mpathaaa"} {
		if got := mapName(n); got != want {
			t.Errorf("map %d is %s, want %s", n, got, want)
		}
	}
}
