package faults

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// maxBody bounds what Handle reads; a fault takes a few hundred bytes.
const maxBody = 64 << 10

// Handle serves a set's own endpoint: POST, GET and DELETE /emulator/faults, and DELETE /emulator/faults/ID.
func (s *Set) Handle(mux *http.ServeMux) {
	mux.HandleFunc("POST /emulator/faults", s.serveInject)
	mux.HandleFunc("GET /emulator/faults", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]any{"faults": s.List()})
	})
	mux.HandleFunc("DELETE /emulator/faults", func(w http.ResponseWriter, _ *http.Request) {
		s.Clear()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("DELETE /emulator/faults/{id}", func(w http.ResponseWriter, r *http.Request) {
		if id, err := strconv.Atoi(r.PathValue("id")); err != nil || !s.Remove(id) {
			answer(w, http.StatusNotFound, map[string]any{"error": fmt.Sprintf("fault %q is not in force", r.PathValue("id"))})
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

func (s *Set) serveInject(w http.ResponseWriter, r *http.Request) {
	id, err := s.readInject(w, r)
	if err != nil {
		answer(w, http.StatusBadRequest, map[string]any{"error": err.Error()})
		return
	}
	answer(w, http.StatusCreated, map[string]any{"id": id})
}

func (s *Set) readInject(w http.ResponseWriter, r *http.Request) (int, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return 0, fmt.Errorf("read fault: %w", err)
	}
	var fault Fault
	if err := json.Unmarshal(data, &fault); err != nil {
		return 0, err
	}
	return s.Inject(fault)
}

func answer(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, "the answer cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}
