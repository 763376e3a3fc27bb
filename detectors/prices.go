package detectors

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/fleet"
)

// PriceRow is one price as the operator gives it. A row without a region or level holds for all that no other row names.
type PriceRow struct {
	Cloud   string  `yaml:"cloud"`   // gcp, azure
	Service string  `yaml:"service"` // gcnv, azurefiles, azurenetapp
	Level   string  `yaml:"level"`   // standard, premium, extreme, flex, of Azure NetApp Files ultra and flexible as well; of Azure Files the media: ssd, hdd
	Item    string  `yaml:"item"`    // capacity, throughput or iops
	Region  string  `yaml:"region"`
	USD     float64 `yaml:"usd"`
	Unit    string  `yaml:"unit"`   // what the price is for, such as GiB-month; see units
	Date    string  `yaml:"date"`   // since when, such as 2026-09-21; of several rows the newest counts
	Source  string  `yaml:"source"` // where it was read
}

// The items that have a price.
const (
	itemCapacity   = "capacity"
	itemThroughput = "throughput"
	itemIOPS       = "iops"
)

// hoursOfMonth is what the vendors' calculators take a month for.
const hoursOfMonth = 730

// units are what a price of each item may be given for, and how many of them make a month.
func units() map[string]map[string]float64 {
	return map[string]map[string]float64{
		itemCapacity:   {"GiB-month": 1, "GiB-hour": hoursOfMonth},
		itemThroughput: {"MiB/s-month": 1, "MiB/s-hour": hoursOfMonth},
		itemIOPS:       {"IOPS-month": 1, "IOPS-hour": hoursOfMonth},
	}
}

func (r PriceRow) check() error {
	if mistakes := r.Mistakes(); len(mistakes) > 0 {
		return errors.New(mistakes[0])
	}
	return nil
}

// Mistakes are all that is wrong with a price, each behind its key and a colon; none where it can be reckoned with.
func (r PriceRow) Mistakes() (found []string) {
	fail := func(format string, arguments ...any) { found = append(found, fmt.Sprintf(format, arguments...)) }
	if r.Cloud == "" {
		fail("cloud: missing; write gcp or azure")
	}
	if r.Service == "" {
		fail("service: missing; write gcnv, azurefiles or azurenetapp")
	}
	known, item := units()[r.Item]
	if _, unit := known[r.Unit]; !item {
		fail("item: %q is not known; write capacity, throughput or iops", r.Item)
	} else if !unit {
		fail("unit: %q does not fit the item %s; write one for a month or an hour, such as GiB-month or MiB/s-hour", r.Unit, r.Item)
	}
	if math.IsNaN(r.USD) || r.USD < 0 || r.USD > 1e6 {
		fail("usd: %g is out of range; write 0 to 1000000", r.USD)
	}
	if _, err := time.Parse(time.DateOnly, r.Date); err != nil {
		fail("date: %q is no day; write the one of the price, such as \"2026-09-21\"", r.Date)
	}
	return found
}

// month is the price for a month.
func (r PriceRow) month() fleet.Value {
	if r.check() != nil {
		return fleet.Unknown
	}
	return fleet.Value(r.USD * units()[r.Item][r.Unit])
}

// Capacity finds the operator's price of a GiB-month of a pool at a level, and its row; missing without one.
func (s Settings) Capacity(of fleet.Resource, level string) (fleet.Value, PriceRow) {
	row, ok := s.price(of, level, itemCapacity)
	if !ok {
		return fleet.Unknown, PriceRow{}
	}
	return row.month(), row
}

// price finds the row of an item for a pool or share at a level: the one that names its level and region best, and of those the newest.
func (s Settings) price(of fleet.Resource, level, item string) (PriceRow, bool) {
	rows := slices.Clone(s.Prices)
	rows = slices.DeleteFunc(rows, func(r PriceRow) bool { return r.Item != item || !r.fits(of, level) || !r.month().Known() })
	if len(rows) == 0 {
		return PriceRow{}, false
	}
	return slices.MaxFunc(rows, func(a, b PriceRow) int {
		named := func(r PriceRow) int { return min(len(r.Region), 1)*2 + min(len(r.Level), 1) }
		return cmp.Or(cmp.Compare(named(a), named(b)), cmp.Compare(a.Date, b.Date), cmp.Compare(b.USD, a.USD))
	}), true
}

// fits tells whether a row is about a resource of a level: its own, or one that it could change to.
func (r PriceRow) fits(of fleet.Resource, level string) bool {
	same := func(named, value string) bool { return named == "" || strings.EqualFold(named, value) }
	return strings.EqualFold(r.Cloud, of.Cloud) && strings.EqualFold(r.Service, of.Service) &&
		same(r.Level, level) && (same(r.Region, of.Location) || same(r.Region, region(of.Location)))
}

// region is the region of a zone, which has a letter more, and a region itself.
func region(location string) string {
	if i := strings.LastIndexByte(location, '-'); i > 0 && len(location)-i == 2 && strings.Count(location, "-") == 2 {
		return location[:i]
	}
	return location
}

// basis says where a price comes from.
func (r PriceRow) basis() string {
	text := fmt.Sprintf("%g USD per %s, %s", r.USD, r.Unit, r.Date)
	if r.Source != "" {
		text += ", " + r.Source
	}
	return text
}
