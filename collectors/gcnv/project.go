package gcnv

import (
	"context"
	"sync"
	"time"

	"github.com/nasight/nasight/schema"
)

// project is what is known of one project.
type project struct {
	id   string
	past bool // holds a span of the past; nothing of it is fresh

	reading sync.Mutex // held while the inventory is read

	mu     sync.Mutex // guards what is below
	inv    *inventory // nil before it was read once
	tried  time.Time  // when the inventory was last asked for
	invErr error      // why that failed
	rows   map[string]*rowState
	totals map[*schema.Family]map[key]*track
	fresh  map[*schema.Family]map[seriesKey][]point // totals that have not been emitted yet
	lastly map[tier]time.Time                       // when a tier was last read
	errs   map[tier]error                           // how that went
}

// rowState is what is known of one metric of a project.
type rowState struct {
	row    *row
	series map[seriesKey]*track
	fresh  map[seriesKey][]point // not emitted yet
	cursor time.Time             // end of the last complete window
	gap    window                // what is still to be read of the past
	asked  float64               // seconds that the gap had at first
	billed int                   // time series of the last reading
	odd    map[string]int        // not told yet
}

func newProject(id string, rows []*row) *project {
	p := &project{
		id: id, rows: map[string]*rowState{}, totals: map[*schema.Family]map[key]*track{},
		fresh:  map[*schema.Family]map[seriesKey][]point{},
		lastly: map[tier]time.Time{}, errs: map[tier]error{},
	}
	for _, r := range rows {
		p.rows[r.metric] = &rowState{row: r, series: map[seriesKey]*track{}, fresh: map[seriesKey][]point{}, odd: map[string]int{}}
	}
	return p
}

// oftenestInventory bounds how often the inventory is read because something in the metrics is not in it.
const oftenestInventory = 10 * time.Minute

// inventory returns what is known of the project's resources; it asks the API where nothing is known or what is known is
// older than wanted. A nil inventory without an error means that the API refuses to tell.
func (s *Source) inventory(ctx context.Context, p *project, oldest time.Time) (*inventory, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	p.mu.Lock()
	known, err, tried := p.inv, p.invErr, p.tried
	p.mu.Unlock()
	if !tried.IsZero() && !tried.Before(oldest) && (err == nil || !retryable(err)) {
		return known, err
	}
	now := s.opts.Clock()
	var inv *inventory
	err = s.connection(ctx, func(conns *connections) (err error) {
		inv, err = readInventory(ctx, conns.netapp, p.id, s.wanted, now)
		return err
	})
	s.blame(err)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tried, p.invErr = now, err
	if inv != nil && inv.volumesRead {
		inv.keep(p.inv)
		p.inv = inv
	}
	return p.inv, err
}

// resource finds the labels of a series' resource. known is false where the inventory does not have it, wanted where the
// configuration leaves it out. Without an inventory the pool of a volume is not known.
func (p *project) resource(r *row, k key, inv *inventory, wanted selection) (labels []string, canonical key, known, want bool) {
	if r.resource == poolResource {
		if inv == nil {
			return []string{Cloud, Service, p.id, k.location, k.name}, k, true, wanted.pool(p.id, k)
		}
		found := inv.pools[k]
		if found == nil {
			return nil, k, false, false
		}
		return []string{Cloud, Service, p.id, k.location, k.name}, k, true, found.wanted
	}
	if inv == nil {
		return []string{Cloud, Service, p.id, k.location, "", k.name}, k, true, wanted.volume(p.id, "", k)
	}
	v := inv.find(k)
	if v == nil {
		return nil, k, false, false
	}
	return []string{Cloud, Service, p.id, v.key.location, v.pool, v.key.name}, v.key, true, v.wanted
}
