package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestReadyTellsByItsExitCode(t *testing.T) {
	answers := http.NewServeMux()
	answers.HandleFunc("GET /ok/-/ready", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ready\nnote: nfs on a fails\n"))
	})
	answers.HandleFunc("GET /not/-/ready", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte("first evaluation pending\nhistory degraded: disk full\n"))
	})
	answers.HandleFunc("GET /other/-/ready", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hi\n")) })
	answers.HandleFunc("GET /agent/-/ready", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("nfs: ok\n")) })
	silent := make(chan struct{})
	answers.HandleFunc("GET /silent/-/ready", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-silent:
		case <-r.Context().Done():
		}
	})
	server := httptest.NewServer(answers)
	defer server.Close()
	defer close(silent)
	const nobody = "http://127.0.0.1:1" // a port that the system gives to nobody, unlike that of a server just closed
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"ready":             {[]string{"--server=" + server.URL + "/ok"}, exitOK, "ready; note: nfs on a fails"},
		"not ready":         {[]string{"--server=" + server.URL + "/not"}, exitUncollect, "status 503: first evaluation pending; history degraded: disk full"},
		"an agent":          {[]string{"--server=" + server.URL + "/agent"}, exitOK, "nfs: ok"},
		"another program":   {[]string{"--server=" + server.URL + "/other"}, exitUncollect, `answers "hi", as no nasight does`},
		"something else":    {[]string{"--server=" + server.URL}, exitUncollect, "status 404"},
		"nobody there":      {[]string{"--server=" + nobody}, exitUncollect, "refused"},
		"no answer":         {[]string{"--server=" + server.URL + "/silent", "--timeout=20ms"}, exitUncollect, "deadline"},
		"no URL":            {[]string{"--server=localhost:9877"}, exitUsage, "http://HOST:PORT"},
		"no time":           {[]string{"--timeout=0s"}, exitUsage, "--timeout=0s"},
		"a password hidden": {[]string{"--server=" + strings.Replace(nobody, "http://", "http://me:secret@", 1)}, exitUncollect, "me:xxxxx@"},
	} {
		t.Run(name, func(t *testing.T) {
			got := nasight(t, append([]string{"ready"}, c.args...)...)
			said := got.out + got.err
			if got.code != c.code || !strings.Contains(said, c.says) || strings.Count(said, "\n") != 1 {
				t.Errorf("exit code %d, said %q; want %d and %q in one line", got.code, said, c.code, c.says)
			}
			if strings.Contains(said, "secret") {
				t.Errorf("said the password: %q", said)
			}
		})
	}
}
