package azure

import (
	"encoding/json"
	"net/http"
)

// handleControl serves the emulator's own endpoint: that of faults, and GET /emulator/usage.
func (s *Server) handleControl(mux *http.ServeMux) {
	s.faults.Handle(mux)
	mux.HandleFunc("GET /emulator/usage", func(w http.ResponseWriter, _ *http.Request) {
		body, err := json.Marshal(s.Usage())
		if err != nil {
			http.Error(w, "the answer cannot be written", http.StatusInternalServerError)
			return
		}
		s.write(w, http.StatusOK, append(body, '\n'))
	})
}
