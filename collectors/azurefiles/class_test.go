package azurefiles

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestClassOfEverySKU(t *testing.T) {
	for _, test := range []struct {
		kind, sku string
		want      class
		ok        bool
	}{
		{"FileStorage", "PremiumV2_LRS", class{"ssd", "v2"}, true},
		{"FileStorage", "PremiumV2_ZRS", class{"ssd", "v2"}, true},
		{"FileStorage", "Premium_LRS", class{"ssd", "v1"}, true},
		{"FileStorage", "Premium_ZRS", class{"ssd", "v1"}, true},
		{"FileStorage", "StandardV2_LRS", class{"hdd", "v2"}, true},
		{"FileStorage", "StandardV2_ZRS", class{"hdd", "v2"}, true},
		{"FileStorage", "StandardV2_GRS", class{"hdd", "v2"}, true},
		{"FileStorage", "StandardV2_GZRS", class{"hdd", "v2"}, true},
		{"StorageV2", "Standard_LRS", class{"hdd", "payg"}, true},
		{"StorageV2", "Standard_RAGZRS", class{"hdd", "payg"}, true},
		{"Storage", "Standard_GRS", class{"hdd", "payg"}, true},
		{"StorageV2", "Premium_LRS", class{}, false}, // page blobs
		{"BlockBlobStorage", "Premium_LRS", class{}, false},
		{"BlobStorage", "Standard_LRS", class{}, false},
		{"FileStorage", "Ultra_LRS", class{}, false},
		{"FileStorage", "", class{}, false},
	} {
		got, ok := classOf(test.kind, test.sku)
		if ok != test.ok || ok && got != test.want {
			t.Errorf("%s %s is %+v, %t; want %+v, %t", test.kind, test.sku, got, ok, test.want, test.ok)
		}
	}
}

// The examples are Microsoft's, but for the credits of the two largest: its table has them by an older burst limit.
func TestProvisionedByTheSize(t *testing.T) {
	for _, test := range []struct{ gigabytes, operations, mibps, burst, credits float64 }{
		{100, 3100, 110, 10_000, 24_840_000},
		{500, 3500, 150, 10_000, 23_400_000},
		{1024, 4024, 203, 10_000, 21_513_600},
		{5120, 8120, 613, 15_360, 26_064_000},
		{10_240, 13_240, 1125, 30_720, 62_928_000},
		{33_792, 36_792, 3480, 101_376, 232_502_400},
		{51_200, 54_200, 5220, 102_400, 173_520_000},
		{102_400, 102_400, 10_340, 102_400, 0},
	} {
		want := provisioned{test.operations, test.mibps * mib, test.burst, test.credits}
		if got := provisionedV1Of(test.gigabytes); got != want {
			t.Errorf("%g GiB have %+v, want %+v", test.gigabytes, got, want)
		}
	}
}

func TestMoreSizeNeverHasLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := float64(rapid.IntRange(100, 102_400).Draw(t, "small"))
		large := small + float64(rapid.IntRange(0, 1000).Draw(t, "more"))
		a, b := provisionedV1Of(small), provisionedV1Of(large)
		if b.operations < a.operations || b.throughput < a.throughput || b.burst < a.burst || b.credits < 0 || a.burst < math.Min(a.operations, 10_000) {
			t.Errorf("%g has %+v, %g has %+v", small, a, large, b)
		}
	})
}
