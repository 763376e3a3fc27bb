package gcp

import (
	"fmt"
	"net/http"

	"github.com/nasight/nasight/simulator/model"
)

// handleMetadata serves the metadata server's paths that tell where and on what a client runs.
func (c *Cloud) handleMetadata(mux *http.ServeMux) {
	mux.HandleFunc("GET /computeMetadata/v1/{path...}", func(w http.ResponseWriter, r *http.Request) {
		failure := c.beginMetadata(r)
		if failure != nil && failure.cut {
			c.refuse(w, failure)
			return
		}
		w.Header().Set("Metadata-Flavor", "Google")
		w.Header().Set("Server", "Metadata Server for VM")
		w.Header().Set("Content-Type", "application/text")
		switch {
		case failure != nil:
			http.Error(w, failure.message, httpStatus(failure.code))
		case r.Header.Get("Metadata-Flavor") != "Google" || r.Header.Get("X-Forwarded-For") != "":
			http.Error(w, "Missing Metadata-Flavor:Google header.", http.StatusForbidden)
		default:
			value, ok := c.metadata(r.PathValue("path"))
			if !ok {
				http.Error(w, "not found", http.StatusNotFound)
				return
			}
			_, _ = w.Write([]byte(value))
		}
	})
}

// beginMetadata is begin for calls that have no project and need no token.
func (c *Cloud) beginMetadata(r *http.Request) *failure {
	var failure *failure
	for _, fault := range c.faults.Call("metadata", "") {
		if failure = act(r.Context(), fault); failure != nil {
			break
		}
	}
	c.usage.call("metadata", "", r.UserAgent(), failure != nil)
	return failure
}

// metadata is the value at a path. The bandwidth tier of a machine is not among them: the real server has none either.
func (c *Cloud) metadata(path string) (string, bool) {
	if c.instance == nil {
		return "", false
	}
	project := c.project(c.instance.Project)
	values := map[string]func(*model.Instance) string{
		"project/project-id":         func(i *model.Instance) string { return i.Project },
		"project/numeric-project-id": func(*model.Instance) string { return number(project) },
		"instance/name":              func(i *model.Instance) string { return i.Name },
		"instance/hostname":          func(i *model.Instance) string { return fmt.Sprintf("%s.%s.c.%s.internal", i.Name, i.Zone, i.Project) },
		"instance/zone":              func(i *model.Instance) string { return fmt.Sprintf("projects/%s/zones/%s", number(project), i.Zone) },
		"instance/machine-type": func(i *model.Instance) string {
			return fmt.Sprintf("projects/%s/machineTypes/%s", number(project), i.MachineType)
		},
		"instance/network-interfaces/0/ip":       func(i *model.Instance) string { return i.IPAddress },
		"instance/network-interfaces/0/nic-type": func(i *model.Instance) string { return i.NICType },
	}
	value, ok := values[path]
	if !ok {
		return "", false
	}
	return value(c.instance), true
}
