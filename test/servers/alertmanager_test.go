//go:build servers

package servers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// startAlertmanager starts a real one at an address.
func startAlertmanager(t *testing.T, address, file string) {
	t.Helper()
	launch(t, installed(t, "alertmanager"), "--config.file="+file, "--storage.path="+filepath.Join(t.TempDir(), "data"), "--data.retention=240h",
		"--web.listen-address="+address, "--cluster.listen-address=").
		await(t, startLimit, answers("http://"+address+"/-/ready"))
}

// alertmanagerServer starts one that can be stopped, and forgets all alerts when it is.
func alertmanagerServer(t *testing.T, file string) *server {
	t.Helper()
	return runServer(t, installed(t, "alertmanager"), "/-/ready", "--config.file="+file, "--storage.path=DIRECTORY/data",
		"--web.listen-address=ADDRESS", "--cluster.listen-address=")
}

// toReceiver is the example for Alertmanager with its receivers at an address: /pager, /team and /digest.
func toReceiver(example, address string) string {
	return strings.NewReplacer(
		"http://pager.example.com/alert", address+"/pager",
		"http://chat.example.com/storage-digest", address+"/digest",
		"http://chat.example.com/storage", address+"/team",
	).Replace(example)
}

// pages are what Alertmanager has told its receivers.
type pages struct {
	address string

	mu   sync.Mutex
	told map[string][]alert // by receiver
	odd  []string           // what could not be read
}

func receivePages(t *testing.T) *pages {
	t.Helper()
	p := &pages{told: map[string][]alert{}}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.address = server.URL
	return p
}

// ServeHTTP takes a notification of Alertmanager's webhook.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var notification struct {
		Alerts []alert `json:"alerts"`
	}
	err := json.NewDecoder(r.Body).Decode(&notification)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.odd = append(p.odd, err.Error())
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	receiver := strings.TrimPrefix(r.URL.Path, "/")
	p.told[receiver] = append(p.told[receiver], notification.Alerts...)
}

// await waits until a receiver was told of an alert, and returns the first.
func (p *pages) await(t *testing.T, receiver string, limit time.Duration) alert {
	t.Helper()
	var first alert
	eventually(t, limit, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.told[receiver]) == 0 {
			return false
		}
		first = p.told[receiver][0]
		return true
	}, func() string {
		p.mu.Lock()
		defer p.mu.Unlock()
		return fmt.Sprintf("%s was told nothing; others: %v, unreadable: %q", receiver, p.told, p.odd)
	})
	return first
}
