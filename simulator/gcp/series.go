package gcp

import (
	"strings"
	"time"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

// series is one time series of the service, not yet read.
type series struct {
	metric   *metric
	project  *model.Project
	volume   string            // name, for faults; empty for pools
	resource map[string]string // resource labels
	labels   map[string]string // metric labels
	system   map[string]string // system metadata labels
	user     map[string]string // user labels
	key      string            // identity, for the delays of its points
	since    time.Time         // start of a cumulative total
	value    func(window time.Time) (float64, bool)
}

// point is one value over (start, end]; for gauges start is end.
type point struct {
	start, end time.Time
	value      float64
}

// resourceType is the monitored resource of the series, as queries have to write it.
func (m *metric) resourceType() string {
	switch kind, _, _ := strings.Cut(m.name, "/"); kind {
	case "storage_pool":
		return prefix + "StoragePool"
	case "replication":
		return prefix + "Replication"
	}
	return prefix + "Volume"
}

// allSeries are the series of a metric in a project and in those that its metrics scope names.
func (c *Cloud) allSeries(m *metric, project *model.Project) []*series {
	projects := []*model.Project{project}
	for _, id := range project.MetricsScope {
		if other := c.project(id); other != nil && other != project {
			projects = append(projects, other)
		}
	}
	var all []*series
	for _, project := range projects {
		if m.pool != nil {
			all = append(all, poolSeries(m, project)...)
		}
	}
	if m.volume == nil && m.transfer == nil {
		return all
	}
	for _, project := range projects {
		for _, placement := range c.present().Volumes() {
			if placement.Project == project && placement.Pool.Mode != model.ONTAP {
				all = append(all, c.volumeSeries(m, placement)...)
			}
		}
	}
	return all
}

func poolSeries(m *metric, project *model.Project) []*series {
	var all []*series
	for _, pool := range project.Pools {
		value := m.pool(pool)
		all = append(all, &series{
			metric: m, project: project, resource: resourceLabels(project, pool.Location, pool.Name),
			system: map[string]string{"service_level": pool.ServiceLevel}, user: pool.Labels,
			key:   project.ID + "/" + pool.Location + "/" + pool.Name,
			value: func(time.Time) (float64, bool) { return value, true },
		})
	}
	return all
}

func resourceLabels(project *model.Project, location, name string) map[string]string {
	return map[string]string{"resource_container": "projects/" + number(project), "location": location, "name": name}
}

func (c *Cloud) volumeSeries(m *metric, p *model.Placement) []*series {
	base := series{
		metric: m, project: p.Project, volume: p.Volume.Name, key: p.Path, user: p.Volume.Labels,
		resource: resourceLabels(p.Project, p.Location(), p.Volume.Name),
		system: map[string]string{
			"service_level": p.Pool.ServiceLevel, "storage_pool": p.Pool.Name, "protocols": strings.Join(p.Volume.Protocols, ","),
		},
	}
	if m.transfer != nil {
		return c.transferSeries(base, p)
	}
	if m.label == "" {
		base.value = func(window time.Time) (float64, bool) { return c.told(m, p, "", window) }
		return []*series{&base}
	}
	all := make([]*series, 0, len(model.Ops()))
	for _, op := range model.Ops() {
		s := base
		s.labels = map[string]string{m.label: string(op)}
		s.value = func(window time.Time) (float64, bool) { return c.told(m, p, op, window) }
		all = append(all, &s)
	}
	return all
}

// told is what the service measured of a volume in a window; false where it measured nothing.
func (c *Cloud) told(m *metric, p *model.Placement, op model.Op, window time.Time) (float64, bool) {
	measured, ok := c.model.Measured(p, window)
	if !ok {
		return 0, false
	}
	return m.volume(c.model, p, op, measured)
}

func (c *Cloud) transferSeries(base series, p *model.Placement) []*series {
	now, ok := c.model.Transfer(p, c.model.Epoch())
	if !ok {
		return nil
	}
	base.resource = resourceLabels(p.Project, p.Location(), p.Volume.Replication.Name)
	base.system = map[string]string{"service_level": p.Pool.ServiceLevel}
	base.since = now.Since
	base.value = func(window time.Time) (float64, bool) {
		t, ok := c.model.Transfer(p, window.Add(model.Grain))
		return base.metric.transfer(t), ok && window.After(now.Since)
	}
	return []*series{&base}
}

// retention is how long the service keeps points.
const retention = 42 * 24 * time.Hour

// points are the points that end in (from, to] and are visible at a moment, oldest first.
func (c *Cloud) points(s *series, data []faults.Active, from, to, now time.Time) []point {
	if oldest := now.Add(-retention); from.Before(oldest) {
		from = oldest
	}
	if newest := now.Add(-soonest); to.After(newest) {
		to = newest // nothing later can be visible
	}
	var out []point
	for end := from.Truncate(model.Grain).Add(model.Grain); !end.After(to); end = end.Add(model.Grain) {
		window := end.Add(-model.Grain)
		value, ok := s.value(window)
		if !ok {
			continue
		}
		if value, ok = c.visible(s, data, end, now, value); ok {
			out = append(out, s.point(window, end, value))
		}
	}
	return out
}

func (s *series) point(window, end time.Time, value float64) point {
	switch s.metric.kind {
	case delta:
		return point{window, end, value}
	case cumulative:
		return point{s.since, end, value}
	}
	return point{end, end, value}
}

// visible is the value that a point has at a moment, if it has reached the service by then.
func (c *Cloud) visible(s *series, data []faults.Active, end, now time.Time, value float64) (float64, bool) {
	arrival := end.Add(soonest + time.Duration(c.model.Draw("delay"+s.key, end.Unix())*float64(ingestDelay-soonest)))
	var revision time.Duration
	for _, active := range data {
		fault := active.Fault
		if !fault.Hits(s.project.ID, s.resource["location"], s.volume, s.metric.kindType()) {
			continue
		}
		chosen := fault.Share == 0 || c.model.Draw(string(fault.Kind)+s.key, end.Unix()) < fault.Share
		switch {
		case fault.Kind == faults.Vanished && end.After(active.Since):
			return 0, false
		case fault.Kind == faults.Missing && chosen:
			return 0, false
		case fault.Kind == faults.Late && chosen:
			arrival = arrival.Add(fault.Delay)
		case fault.Kind == faults.Revised && chosen:
			revision += fault.Delay
		}
	}
	if now.Before(arrival.Add(revision)) {
		value /= 2
	}
	return value, !now.Before(arrival)
}
