package gcnv

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nasight/nasight/collectors/connect"
)

// connectPatience is how long a trial repeats a request: somebody waits for the answer.
const connectPatience = 15 * time.Second

// trial is one try of everything that the collector needs.
type trial struct {
	*Source
	member string // who is to be granted what lacks, as gcloud writes it
}

// Connect tries with the configuration's own clients and credentials what the collector needs, and asks the cloud what its
// documentation leaves open. prices are those that are configured. Checks that fail are in the section; an error is one of
// the configuration. When ctx ends, what is not done yet is told as failed.
func Connect(ctx context.Context, cfg Config, prices []Price, opts Options) (*connect.Section, error) {
	if !cfg.Enabled() {
		return nil, errors.New("gcnv: neither projects nor folders: there is nothing to connect to")
	}
	opts.Budget = NewBudget(cfg, nil, opts.Clock) // the trial's own, so that it knows what it cost
	if opts.Patience <= 0 {
		opts.Patience = connectPatience
	}
	s, err := New(cfg, opts)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	t := &trial{Source: s, member: anyMember}
	section := &connect.Section{Title: "Google Cloud NetApp Volumes", Cloud: Cloud, Service: Service, Notes: t.notes()}
	who, checks, ok := t.authenticate(ctx)
	section.As, section.Checks = who, checks
	if ok {
		err = s.connection(ctx, func(conns *connections) error {
			t.run(ctx, conns, prices, section)
			return nil
		})
		if err != nil {
			section.Checks = append(section.Checks, need{name: "credentials"}.refusal(t.home(), err, t.member, cfg.QuotaProject))
		}
	}
	if slices.ContainsFunc(section.Checks, func(c connect.Check) bool { return strings.Contains(c.Do, anyMember) }) {
		section.Notes = append(section.Notes, anyMember+" stands for the account that nasight runs as, such as serviceAccount:NAME@PROJECT.iam.gserviceaccount.com.")
	}
	section.Cost = connect.CostOf(opts.Budget)
	return section, nil
}

func (t *trial) notes() []string {
	e := t.cfg.Endpoints
	if e.Monitoring+e.NetApp+e.ResourceManager == "" {
		return nil
	}
	return []string{"gcnv.endpoints names other addresses than Google's: the answers hold for what is behind them."}
}

// home is what a failure of the credentials is told of.
func (t *trial) home() target {
	if len(t.cfg.Projects) > 0 {
		return target{projectTarget, t.cfg.Projects[0]}
	}
	return target{folderTarget, t.cfg.Folders[0]}
}

// run tries folders and projects, and asks.
func (t *trial) run(ctx context.Context, conns *connections, prices []Price, section *connect.Section) {
	section.Checks = append(section.Checks, t.tryFolders(ctx, conns)...)
	projects := t.all()
	if len(projects) == 0 {
		section.Notes = append(section.Notes, "No project is left to read: look at gcnv.folders and gcnv.exclude.")
	}
	visits := make([]*visit, len(projects))
	var group errgroup.Group
	group.SetLimit(t.cfg.Pacing.Concurrency)
	for i, p := range projects {
		visits[i] = newVisit(p.id, t.opts.Clock())
		group.Go(func() error {
			t.tryProject(ctx, conns, visits[i])
			return nil
		})
	}
	_ = group.Wait() // failures are in the visits
	for _, v := range visits {
		section.Checks = append(section.Checks, v.checks...)
		if v.inv.number != "" {
			t.numbers[v.inv.number] = v.project
		}
	}
	if len(t.cfg.Include)+len(t.cfg.Exclude) > 0 {
		section.Notes = append(section.Notes, kept(visits))
	}
	samples, left := t.sampleAll(ctx, conns, visits)
	section.Answers = answers(visits, samples, left, t.cfg, prices)
}

// tryFolders finds the projects of each folder.
func (t *trial) tryFolders(ctx context.Context, conns *connections) []connect.Check {
	wants := need{"resourcemanager.projects.list and folders.list", resourcesService, browserRole}
	var checks []connect.Check
	for _, folder := range t.cfg.Folders {
		on := target{folderTarget, folder}
		if ctx.Err() != nil {
			checks = append(checks, connect.Untried(ctx, wants.name, on.String()))
			continue
		}
		found, err := walk(ctx, conns.resources, []string{folder})
		t.adopt(found, false)
		if err != nil {
			checks = append(checks, wants.refusal(on, err, t.member, t.cfg.QuotaProject))
			continue
		}
		checks = append(checks, connect.Check{Name: wants.name, On: on.String(), Status: connect.OK, Says: connect.Count(len(found), "project")})
	}
	return checks
}

// kept says what the configuration's expressions leave of what there is.
func kept(visits []*visit) string {
	wanted, all := 0, 0
	for _, v := range visits {
		all += len(v.inv.volumes)
		for _, volume := range v.inv.volumes {
			if volume.wanted {
				wanted++
			}
		}
	}
	return fmt.Sprintf("gcnv.include and gcnv.exclude keep %d of %s.", wanted, connect.Count(all, "volume"))
}
