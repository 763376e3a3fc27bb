package measure

import "testing"

func TestProcessorAdvances(t *testing.T) {
	before, err := Processor()
	if err != nil {
		t.Fatal(err)
	}
	for after := before; after <= before; {
		if after, err = Processor(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMemory(t *testing.T) {
	resident, err := Memory("VmRSS")
	if err != nil {
		t.Fatal(err)
	}
	anonymous, err := Memory("RssAnon")
	if err != nil {
		t.Fatal(err)
	}
	if anonymous == 0 || anonymous > resident {
		t.Errorf("%d of %d bytes are anonymous", anonymous, resident)
	}
	for _, odd := range []string{"", "Name", "Threads"} {
		if _, err := Memory(odd); err == nil {
			t.Errorf("%q is told in bytes", odd)
		}
	}
}
