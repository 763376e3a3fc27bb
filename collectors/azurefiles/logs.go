package azurefiles

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
)

// logsName is what failures of the log are told under.
const logsName = "logs"

// oddClients counts clients beyond those that are told apart.
const oddClients = "client_limit"

// logCollector samples the log of file operations.
type logCollector struct {
	source *Source
	read   map[string]time.Time // by workspace: the end of its last sample
}

func newLogCollector(s *Source) *logCollector {
	return &logCollector{source: s, read: map[string]time.Time{}}
}

// Collect implements collectors.Collector. What one workspace lacks keeps no other one from being read.
func (c *logCollector) Collect(ctx context.Context, sink collectors.Sink) error {
	timed, ok := sink.(collectors.TimedSink)
	if !ok {
		return azureapi.ErrUntimed
	}
	reading, cancel := azureapi.Reserve(ctx)
	defer cancel()
	var errs []error
	for _, workspace := range c.source.cfg.Logs.Workspaces {
		err := c.sample(reading, timed, workspace)
		for reason := range azureapi.ReasonsOf(err) {
			sink.Add(schema.CloudUnreachable, 1, Cloud, Service, workspace, "", logsName, reason)
		}
		if err != nil {
			c.source.clients.Blame(err)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// sample reads what is due of a workspace: the newest span that the log is whole of, without what was read already.
func (c *logCollector) sample(ctx context.Context, sink collectors.TimedSink, workspace string) error {
	s := c.source
	end := s.opts.Clock().Add(-schema.AzureLogDelay).Truncate(time.Minute)
	w := azureapi.Window{Start: end.Add(-s.cfg.Logs.Window), End: end}
	if before := c.until(workspace); before.After(w.Start) && !before.After(end) {
		w.Start = before
	}
	if !w.Start.Before(w.End) {
		return nil
	}
	targets, whole, err := s.logTargets(ctx)
	if err != nil {
		return err
	}
	session, err := s.clients.use()
	if err != nil {
		return err
	}
	client, err := session.Logs()
	if err != nil {
		return err
	}
	clients, err := queryLog(ctx, client, workspace, clientQuery(), w)
	if err != nil {
		return err
	}
	files, err := queryLog(ctx, client, workspace, fileQuery(), w)
	if err != nil {
		return err
	}
	e := &logEmission{sink, targets, w, map[string]int{}, s.cfg.Logs.Clients, 0}
	e.clients(clientsOf(clients, w, e.odd))
	e.files(rowsOfTable(files))
	sink.AddAt(schema.ShareLogOperations, e.operations, w.End, Cloud, Service, workspace)
	for reason, count := range e.odd {
		sink.Skip(reason, count)
	}
	if whole { // else the next sample has this span too, when the other shares are known
		c.store(workspace, end)
	}
	return nil
}

// until is the end of the last sample of a workspace, over restarts.
func (c *logCollector) until(workspace string) time.Time {
	at, memory := c.read[workspace], c.source.opts.Memory
	if !at.IsZero() || memory == nil {
		return at
	}
	seconds, ok := memory.Load(logKey(workspace))
	if !ok || !(seconds > 0) {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0).UTC().Truncate(time.Minute)
}

func (c *logCollector) store(workspace string, end time.Time) {
	c.read[workspace] = end
	if memory := c.source.opts.Memory; memory != nil {
		memory.Store(logKey(workspace), float64(end.Unix()))
	}
}

func logKey(workspace string) string { return "azurefiles/logs/" + workspace }

// logTargets are the labels of the wanted shares by the names that the log has of them, and whether all shares are known. The
// first inventory is waited for: the next sample may be far away.
func (s *Source) logTargets(ctx context.Context) (targets map[logShareKey][]string, whole bool, err error) {
	targets, whole = map[logShareKey][]string{}, true
	for _, sub := range s.subscriptions {
		if !sub.known() {
			if err := s.refresh(ctx, sub); err != nil && !sub.known() {
				return nil, false, azureapi.Failure(inventoryName, sub.id, err)
			}
		}
		sub.await(ctx)
		whole = whole && sub.complete()
		sub.mu.Lock()
		for _, a := range sub.sorted() {
			if a.files == nil {
				continue
			}
			for name := range a.files.shares {
				if d := a.details; s.wanted.share(sub.id, d.name, name) {
					targets[logShareKey{d.name, name}] = []string{Cloud, Service, sub.id, d.location, d.name, name}
				}
			}
		}
		sub.mu.Unlock()
	}
	return targets, whole, nil
}

// logEmission is one putting out of a sample.
type logEmission struct {
	sink       collectors.TimedSink
	targets    map[logShareKey][]string
	window     azureapi.Window
	odd        map[string]int
	most       int     // clients of a share
	operations float64 // of known shares
}

// clients puts out the busiest clients of each share, minute by minute.
func (e *logEmission) clients(found map[logShareKey]map[string]*logClient) {
	for key, clients := range found {
		labels, known := e.targets[key]
		if !known {
			e.odd[oddShare]++
			continue
		}
		for _, c := range clients {
			e.operations += c.total
		}
		shown := busiest(clients, e.most)
		if more := len(clients) - len(shown); more > 0 {
			e.odd[oddClients] += more
		}
		for _, c := range shown {
			e.client(c, append(labels[:6:6], c.address))
		}
	}
}

func (e *logEmission) client(c *logClient, labels []string) {
	channels := "known"
	if c.portless() {
		channels = "unknown"
	}
	for _, protocol := range slices.Sorted(maps.Keys(c.protocols)) {
		e.sink.AddAt(schema.ShareClientInfo, 1, e.window.End, append(labels[:7:7], protocol, channels)...)
	}
	const seconds, milliseconds = 60, 60_000
	for end, m := range c.minutes {
		at := time.UnixMilli(end)
		add := func(family *schema.Family, value float64, more ...string) {
			e.sink.AddAt(family, value, at, append(labels[:7:7], more...)...)
		}
		add(schema.ShareClientOperations, m.data/seconds, "data")
		add(schema.ShareClientOperations, max(m.operations-m.data, 0)/seconds, "other")
		add(schema.ShareClientThroughput, m.read/seconds, "egress")
		add(schema.ShareClientThroughput, m.written/seconds, "ingress")
		add(schema.ShareClientConcurrency, m.busy/milliseconds)
		if !m.portless && m.channels > 0 {
			add(schema.ShareClientChannels, m.channels)
		}
		if m.filesKnown() {
			add(schema.ShareClientFiles, m.files)
		}
	}
}

// files puts out the busiest file of each share, minute by minute.
func (e *logEmission) files(rows []logRow) {
	for _, r := range rows {
		key, end, placed := r.place(e.window)
		operations, sane := r.number("operations")
		bytes, saneToo := r.number("bytes")
		labels, known := e.targets[key]
		switch {
		case !placed || !sane || !saneToo:
			e.odd[oddItem]++
		case known: // of others the clients have told
			e.sink.AddAt(schema.ShareFileOperations, operations/60, time.UnixMilli(end), labels...)
			e.sink.AddAt(schema.ShareFileThroughput, bytes/60, time.UnixMilli(end), labels...)
		}
	}
}
