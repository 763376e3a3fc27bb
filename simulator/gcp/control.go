package gcp

import (
	"encoding/json"
	"net/http"

	"github.com/nasight/nasight/simulator/faults"
)

// handleControl serves the emulator's own endpoint: POST, GET and DELETE /emulator/faults, DELETE /emulator/faults/ID, and
// GET /emulator/usage. GET /emulator/ says so.
func (c *Cloud) handleControl(mux *http.ServeMux) {
	mux.HandleFunc("GET /emulator/{$}", func(w http.ResponseWriter, _ *http.Request) {
		c.writeJSON(w, http.StatusOK, contents())
	})
	c.faults.Handle(mux)
	mux.HandleFunc("GET /emulator/usage", func(w http.ResponseWriter, _ *http.Request) {
		c.writeJSON(w, http.StatusOK, c.Usage())
	})
}

// contents is what the control endpoint can be asked and told.
func contents() map[string]any {
	kinds := map[faults.Kind]string{}
	for _, kind := range faults.Kinds() {
		kinds[kind] = kind.Help()
	}
	return map[string]any{
		"endpoints": map[string]string{
			"POST /emulator/faults":        `make something go wrong, as {"kind": "forbidden", "method": "volumes.list", "times": 3}; answers with its id`,
			"GET /emulator/faults":         "the faults in force",
			"DELETE /emulator/faults":      "end all faults",
			"DELETE /emulator/faults/{id}": "end one fault",
			"GET /emulator/usage":          "the calls and the time series that would be billed",
		},
		"kinds": kinds,
	}
}

func (c *Cloud) writeJSON(w http.ResponseWriter, code int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, "the answer cannot be written", http.StatusInternalServerError)
		return
	}
	c.write(w, code, append(body, '\n'))
}
