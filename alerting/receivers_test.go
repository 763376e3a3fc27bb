package alerting

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nasight/nasight/schema"
)

const always = `
groups:
  - name: team
    rules:
      - {alert: Always, expr: vector(1)}
`

// down ends the connection without an answer.
func down(w http.ResponseWriter, _ *http.Request) bool {
	if connection, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = connection.Close()
	}
	return true
}

// Whatever a receiver does, it is counted, and the alert arrives when the receiver does its work again.
func TestWhatFailsIsSentAgain(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"down": down, "an error": status(http.StatusInternalServerError), "too many": status(http.StatusTooManyRequests),
		"a redirect": func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "/login", http.StatusFound)
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			receiver := newReceiver(t)
			receiver.fails(answer)
			b := newBench(t, memory(t), Settings{Alertmanagers: []Alertmanager{receiver.alertmanager()}, Files: []string{ruleFile(t, always)}})
			b.pass(1, nil)
			b.await("the failure is counted", func() bool { return b.own(schema.AlertingDropped, "") == 1 })
			if failed, sent := b.own(schema.AlertingFailed, ""), b.own(schema.AlertingSent, ""); failed != 1 || sent != 0 {
				t.Errorf("%v failed, %v sent", failed, sent)
			}
			receiver.fails(nil)
			b.pass(2, nil)
			if alert := receiver.next(t); alert.Labels["alertname"] != "Always" || !alert.StartsAt.Equal(noon.Add(step)) {
				t.Errorf("%+v", alert)
			}
			b.await("it is counted", func() bool { return b.own(schema.AlertingSent, "") == 1 })
			if queue, known := b.own(schema.AlertingQueue, ""), b.own(schema.AlertingAlertmanagers, ""); queue != 0 || known != 1 {
				t.Errorf("%v wait for %v Alertmanagers", queue, known)
			}
		})
	}
}

// A slow receiver costs its own alerts its timeout, and no other receiver anything.
func TestASlowReceiverHoldsNobodyUp(t *testing.T) {
	slow, quick := newReceiver(t), newReceiver(t)
	released := make(chan struct{})
	t.Cleanup(func() { close(released) })
	slow.fails(func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-released:
		case <-r.Context().Done():
		}
		return true
	})
	late := slow.alertmanager()
	late.Timeout = 100 * time.Millisecond
	b := newBench(t, memory(t), Settings{Alertmanagers: []Alertmanager{late, quick.alertmanager()}, Files: []string{ruleFile(t, always)}})
	b.pass(1, nil)
	quick.next(t)
	b.await("the slow one has failed", func() bool { return b.own(schema.AlertingFailed, slow.Listener.Addr().String()) == 1 })
	if failed := b.own(schema.AlertingFailed, quick.Listener.Addr().String()); failed != 0 {
		t.Errorf("%v failed at the quick one", failed)
	}
}

// Credentials are read for every request: a wrong token is repaired without a reload.
func TestCredentials(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	for name, c := range map[string]struct {
		change func(*Alertmanager)
		right  func(*http.Request) bool
	}{
		"token": {func(a *Alertmanager) { a.BearerTokenFile = secret }, func(r *http.Request) bool {
			return r.Header.Get("Authorization") == "Bearer right"
		}},
		"password": {func(a *Alertmanager) { a.Username, a.PasswordFile = "nasight", secret }, func(r *http.Request) bool {
			user, password, ok := r.BasicAuth()
			return ok && user == "nasight" && password == "right"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, secret, "wrong")
			receiver := newReceiver(t)
			receiver.fails(func(w http.ResponseWriter, r *http.Request) bool {
				if c.right(r) {
					return false
				}
				w.WriteHeader(http.StatusUnauthorized)
				return true
			})
			one := receiver.alertmanager()
			c.change(&one)
			b := newBench(t, memory(t), Settings{Alertmanagers: []Alertmanager{one}, Files: []string{ruleFile(t, always)}})
			b.pass(1, nil)
			b.await("it is refused", func() bool { return b.own(schema.AlertingFailed, "") == 1 })
			write(t, secret, "right")
			b.pass(2, nil)
			receiver.next(t)
		})
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTLS(t *testing.T) {
	for name, c := range map[string]struct {
		until time.Time
		sent  float64
	}{
		"valid": {time.Now().Add(time.Hour), 1}, "expired": {time.Now().Add(-time.Hour), 0},
	} {
		t.Run(name, func(t *testing.T) {
			certificate, authority := certificate(t, c.until)
			receiver := &receiver{alerts: make(chan received, 10)}
			receiver.Server = httptest.NewUnstartedServer(http.HandlerFunc(receiver.serve))
			receiver.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
			receiver.StartTLS()
			t.Cleanup(receiver.Close)
			one := receiver.alertmanager()
			one.CAFile = authority
			b := newBench(t, memory(t), Settings{Alertmanagers: []Alertmanager{one}, Files: []string{ruleFile(t, always)}})
			b.pass(1, nil)
			b.await("it is sent or has failed", func() bool {
				return b.own(schema.AlertingSent, "") == c.sent && b.own(schema.AlertingFailed, "") == 1-c.sent
			})
		})
	}
}

// certificate makes one that vouches for itself, and the file of its authority.
func certificate(t *testing.T, until time.Time) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: until.Add(-48 * time.Hour), NotAfter: until, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "ca.pem")
	write(t, name, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})))
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}, name
}

// What waits at the end is sent; a receiver that does not answer does not hold the end up beyond the time for that.
func TestTheEndSendsWhatWaits(t *testing.T) {
	receiver := newReceiver(t)
	first := make(chan struct{}, 10)
	release := make(chan struct{})
	receiver.fails(func(http.ResponseWriter, *http.Request) bool {
		first <- struct{}{}
		<-release
		return false
	})
	b := newBench(t, memory(t), Settings{Alertmanagers: []Alertmanager{receiver.alertmanager()}, Files: []string{ruleFile(t, always)}})
	b.pass(1, nil)
	<-first
	b.pass(2, nil) // waits behind the first
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.stop()
	}()
	close(release)
	receiver.next(t)
	receiver.next(t)
	<-ended
}
