package host

import (
	"testing"
)

// BenchmarkRoot makes the files of a machine with three mounts over twelve sessions and reads them with the four
// collectors, as for one of many moments of a scenario.
func BenchmarkRoot(b *testing.B) {
	m := plain()
	b.ReportAllocs()
	for b.Loop() {
		newReader(b, m.Root()).read(b)
	}
}

// BenchmarkFiles makes the files alone.
func BenchmarkFiles(b *testing.B) {
	m := plain()
	b.ReportAllocs()
	for b.Loop() {
		m.Root()
	}
}

// BenchmarkWrite writes a machine that has worked for a while since it was last written.
func BenchmarkWrite(b *testing.B) {
	m, dir := plain(), b.TempDir()
	for b.Loop() {
		m.run(15)
		write(b, m, dir)
	}
}
