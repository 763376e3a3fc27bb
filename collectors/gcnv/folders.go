package gcnv

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	resources "google.golang.org/api/cloudresourcemanager/v3"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// mostFolders bounds how many folders are walked through.
const mostFolders = 10_000

// projectsNow lists the projects to read. Those of the folders are looked up as often as the inventory; a project that
// was found stays until a complete look-up lacks it.
func (s *Source) projectsNow(ctx context.Context) []*project {
	now := s.opts.Clock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.cfg.Folders) > 0 && (s.foldered.IsZero() || now.Sub(s.foldered) >= s.cfg.Tiers.Inventory || s.folders != nil) {
		s.foldered = now
		var found []string
		s.folders = s.connection(ctx, func(conns *connections) (err error) {
			found, err = walk(ctx, conns.resources, s.cfg.Folders)
			return err
		})
		s.blame(s.folders)
		s.adopt(found, s.folders == nil)
	}
	return append([]*project(nil), s.projects...)
}

// adopt takes up the projects of the folders; the caller holds the lock.
func (s *Source) adopt(found []string, complete bool) {
	keep := map[string]bool{}
	for _, id := range append(append([]string(nil), s.cfg.Projects...), found...) {
		keep[id] = true
	}
	known := map[string]bool{}
	var kept []*project
	for _, p := range s.projects {
		known[p.id] = true
		if keep[p.id] || !complete {
			kept = append(kept, p)
		}
	}
	s.projects = kept
	for _, id := range found {
		if !known[id] && len(s.projects) < mostProjects {
			known[id] = true
			s.addProject(id)
		}
	}
}

// walk finds the active projects beneath folders.
func walk(ctx context.Context, api *rest, folders []string) ([]string, error) {
	var found []string
	seen := map[string]bool{}
	for queue := append([]string(nil), folders...); len(queue) > 0; queue = queue[1:] {
		folder := queue[0]
		if seen[folder] || len(seen) >= mostFolders {
			continue
		}
		seen[folder] = true
		parent := url.Values{"parent": {"folders/" + folder}}
		_, err := api.list(ctx, "folders/"+folder, "projects.list", "v3/projects", "projects", parent, func(raw json.RawMessage) {
			var p resources.Project
			if json.Unmarshal(raw, &p) == nil && p.State == "ACTIVE" && projectID.MatchString(p.ProjectId) {
				found = append(found, p.ProjectId)
			}
		})
		if err != nil {
			return found, fmt.Errorf("list the projects of folder %s: %w", folder, err)
		}
		_, err = api.list(ctx, "folders/"+folder, "folders.list", "v3/folders", "folders", parent, func(raw json.RawMessage) {
			var f resources.Folder
			if json.Unmarshal(raw, &f) == nil && folderID.MatchString(lastOf(f.Name)) {
				queue = append(queue, lastOf(f.Name))
			}
		})
		if err != nil {
			return found, fmt.Errorf("list the folders in folder %s: %w", folder, err)
		}
	}
	return found, nil
}

// foldersError is why the folders could not be read the last time.
func (s *Source) foldersError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.folders
}

// emitFolders shows why the folders could not be read.
func (s *Source) emitFolders(sink collectors.Sink) {
	for reason := range reasonsOf(s.foldersError()) {
		sink.Add(schema.CloudUnreachable, 1, Cloud, Service, "", "", "projects", reason)
	}
}
