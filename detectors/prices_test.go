package detectors

import (
	"math"
	"strings"
	"testing"
)

func TestPriceIsTheBestRow(t *testing.T) {
	base := PriceRow{Cloud: "gcp", Service: "gcnv", Level: "premium", Item: "capacity", Region: "europe-west3", USD: 0.338, Unit: "GiB-month", Date: "2026-09-21"}
	row := func(change func(*PriceRow)) PriceRow {
		r := base
		change(&r)
		return r
	}
	for _, test := range []struct {
		name string
		rows []PriceRow
		want float64 // 0: none
	}{
		{"none", nil, 0},
		{"the row", []PriceRow{base}, 0.338},
		{"the newest", []PriceRow{base, row(func(r *PriceRow) { r.USD, r.Date = 0.35, "2026-11-01" })}, 0.35},
		{"a region's before one for all", []PriceRow{base, row(func(r *PriceRow) { r.Region, r.USD, r.Date = "", 0.2, "2026-11-30" })}, 0.338},
		{"one for all", []PriceRow{row(func(r *PriceRow) { r.Region, r.Level = "", "" })}, 0.338},
		{"another region", []PriceRow{row(func(r *PriceRow) { r.Region = "us-central1" })}, 0},
		{"another level", []PriceRow{row(func(r *PriceRow) { r.Level = "extreme" })}, 0},
		{"another service", []PriceRow{row(func(r *PriceRow) { r.Service = "filestore" })}, 0},
		{"another item", []PriceRow{row(func(r *PriceRow) { r.Item, r.Unit = "iops", "IOPS-month" })}, 0},
		{"by the hour", []PriceRow{row(func(r *PriceRow) { r.USD, r.Unit = 0.0005, "GiB-hour" })}, 0.365},
		{"a damaged row counts for nothing", []PriceRow{row(func(r *PriceRow) { r.Unit = "pound" })}, 0},
	} {
		settings := DefaultSettings()
		settings.Prices = test.rows
		pool := aPool("premium", "auto")
		pool.Identity.Location = "europe-west3-b" // a zone has its region's prices
		found, ok := settings.price(pool.Identity, "premium", "capacity")
		if ok != (test.want > 0) || ok && math.Abs(float64(found.month())-test.want) > 1e-9 {
			t.Errorf("%s: %v, %v; want %v", test.name, found.month(), ok, test.want)
		}
	}
}

func TestRegionOfALocation(t *testing.T) {
	for location, want := range map[string]string{
		"us-central1-a": "us-central1", "europe-west3": "europe-west3", "northamerica-northeast1-c": "northamerica-northeast1", "": "", "-": "-",
	} {
		if got := region(location); got != want {
			t.Errorf("%q: %q, want %q", location, got, want)
		}
	}
}

func TestPricesAreChecked(t *testing.T) {
	good := PriceRow{Cloud: "gcp", Service: "gcnv", Item: "capacity", USD: 0.2, Unit: "GiB-month", Date: "2026-11-30"}
	for word, change := range map[string]func(*PriceRow){
		"": func(*PriceRow) {}, "cloud": func(r *PriceRow) { r.Cloud = "" }, "item": func(r *PriceRow) { r.Item = "disk" },
		"unit": func(r *PriceRow) { r.Unit = "IOPS-month" }, "usd": func(r *PriceRow) { r.USD = -1 }, "date": func(r *PriceRow) { r.Date = "last week" },
	} {
		row := good
		change(&row)
		settings := DefaultSettings()
		settings.Prices = []PriceRow{good, row}
		switch err := settings.Validate(); {
		case word == "" && err != nil:
			t.Errorf("a good row: %v", err)
		case word != "" && (err == nil || !strings.Contains(err.Error(), "prices[1]") || !strings.Contains(err.Error(), word)):
			t.Errorf("%s: error %v, want one that names prices[1] and the %s", word, err, word)
		}
	}
}
