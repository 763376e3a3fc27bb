package gcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/nasight/nasight/simulator/faults"
)

// maxBody bounds what the control endpoint reads; a fault takes a few hundred bytes.
const maxBody = 64 << 10

// handleControl serves the emulator's own endpoint: POST, GET and DELETE /emulator/faults, DELETE /emulator/faults/ID, and
// GET /emulator/usage.
func (c *Cloud) handleControl(mux *http.ServeMux) {
	mux.HandleFunc("POST /emulator/faults", c.inject)
	mux.HandleFunc("GET /emulator/faults", func(w http.ResponseWriter, _ *http.Request) {
		c.writeJSON(w, http.StatusOK, map[string]any{"faults": c.faults.List()})
	})
	mux.HandleFunc("DELETE /emulator/faults", func(w http.ResponseWriter, _ *http.Request) {
		c.faults.Clear()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("DELETE /emulator/faults/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.Atoi(r.PathValue("id"))
		if err != nil || !c.faults.Remove(id) {
			c.complain(w, http.StatusNotFound, fmt.Errorf("fault %q is not in force", r.PathValue("id")))
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /emulator/usage", func(w http.ResponseWriter, _ *http.Request) {
		c.writeJSON(w, http.StatusOK, c.Usage())
	})
}

func (c *Cloud) inject(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		c.complain(w, http.StatusBadRequest, fmt.Errorf("read fault: %w", err))
		return
	}
	var fault faults.Fault
	if err := json.Unmarshal(data, &fault); err != nil {
		c.complain(w, http.StatusBadRequest, err)
		return
	}
	id, err := c.faults.Inject(fault)
	if err != nil {
		c.complain(w, http.StatusBadRequest, err)
		return
	}
	c.writeJSON(w, http.StatusCreated, map[string]any{"id": id})
}

func (c *Cloud) complain(w http.ResponseWriter, code int, err error) {
	c.writeJSON(w, code, map[string]any{"error": err.Error()})
}

func (c *Cloud) writeJSON(w http.ResponseWriter, code int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, "the answer cannot be written", http.StatusInternalServerError)
		return
	}
	c.write(w, code, append(body, '\n'))
}
