package otlp

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/resource"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

func attributes(r *resource.Resource) map[string]string {
	all := map[string]string{}
	for _, pair := range r.Attributes() {
		all[string(pair.Key)] = pair.Value.AsString()
	}
	return all
}

func testLog(t testing.TB) *slog.Logger { return slog.New(slog.NewTextHandler(t.Output(), nil)) }

// certificate makes one of this machine, its own authority, and returns it with the name of a file that has it.
func certificate(t testing.TB, until time.Time) (*tls.Config, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "receiver.example.com"}, NotBefore: until.Add(-24 * time.Hour), NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}, name
}

func certificateFile(t testing.TB) string {
	t.Helper()
	_, name := certificate(t, time.Now().Add(time.Hour))
	return name
}

func rpc(t testing.TB, code codes.Code, retry time.Duration) *status.Status {
	t.Helper()
	s := status.New(code, "answer "+code.String())
	if retry > 0 {
		detailed, err := s.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(retry)})
		if err != nil {
			t.Fatal(err)
		}
		return detailed
	}
	return s
}

// Whatever a receiver answers is counted under its reason, and the next push is taken.
func TestAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		http   behaviour
		grpc   behaviour
		reason string
		after  time.Duration
		again  bool
		advice map[string]string // by protocol
	}{
		"too many":     {behaviour{status: 429, header: [2]string{"Retry-After", "7"}}, behaviour{rpc: rpc(t, codes.ResourceExhausted, 7*time.Second)}, reasonThrottled, 7 * time.Second, true, map[string]string{GRPC: "write a longer export.otlp.interval", HTTP: "write a longer export.otlp.interval"}},
		"unavailable":  {behaviour{status: 503, header: [2]string{"Retry-After", "86400"}}, behaviour{rpc: rpc(t, codes.Unavailable, 24*time.Hour)}, "", longestPause, true, map[string]string{GRPC: "write a longer export.otlp.interval", HTTP: lookAtReceiver}},
		"broken":       {behaviour{status: 500}, behaviour{rpc: rpc(t, codes.Internal, 0)}, reasonServer, 0, true, map[string]string{GRPC: lookAtReceiver, HTTP: lookAtReceiver}},
		"wrong token":  {behaviour{status: 401}, behaviour{rpc: rpc(t, codes.Unauthenticated, 0)}, reasonCredentials, 0, true, map[string]string{GRPC: "look at export.otlp.header_files and export.otlp.headers", HTTP: "look at export.otlp.header_files and export.otlp.headers"}},
		"not allowed":  {behaviour{status: 403}, behaviour{rpc: rpc(t, codes.PermissionDenied, 0)}, reasonCredentials, 0, true, map[string]string{GRPC: "look at export.otlp.header_files and export.otlp.headers", HTTP: "look at export.otlp.header_files and export.otlp.headers"}},
		"not wanted":   {behaviour{status: 400}, behaviour{rpc: rpc(t, codes.InvalidArgument, 0)}, reasonRefused, 0, false, map[string]string{GRPC: lookAtReceiver, HTTP: lookAtReceiver}},
		"no such path": {behaviour{status: 404}, behaviour{rpc: rpc(t, codes.Unimplemented, 0)}, reasonRefused, 0, false, map[string]string{GRPC: lookAtAddress, HTTP: lookAtAddress}},
		"elsewhere":    {behaviour{status: 307, header: [2]string{"Location", "http://192.0.2.1/"}}, behaviour{rpc: rpc(t, codes.NotFound, 0)}, reasonRefused, 0, false, map[string]string{GRPC: lookAtAddress, HTTP: "write the address that is meant into export.otlp.endpoint"}},
		"a page":       {behaviour{status: 200}, behaviour{rpc: rpc(t, codes.Unimplemented, 0)}, reasonRefused, 0, false, map[string]string{GRPC: lookAtAddress, HTTP: lookAtAddress}},
		"slow":         {behaviour{hang: true}, behaviour{hang: true}, reasonTimeout, 0, true, map[string]string{GRPC: "look at whether the receiver keeps up, or write a longer export.otlp.timeout", HTTP: "look at whether the receiver keeps up, or write a longer export.otlp.timeout"}},
	} {
		for _, protocol := range protocols {
			t.Run(name+" "+protocol, func(t *testing.T) {
				behaves, reason := test.grpc, test.reason
				if protocol == HTTP {
					behaves = test.http
				}
				if reason == "" { // what asks for a pause is throttling in gRPC, and the status decides in HTTP
					reason = map[string]string{GRPC: reasonThrottled, HTTP: reasonServer}[protocol]
				}
				r := newReceiver(t, protocol, behaves)
				cfg := configFor(r.endpoint, protocol)
				if behaves.hang {
					cfg.Timeout = shortestTimeout
				}
				var log logged
				e := newExporter(t, Options{Config: cfg, Sources: one(), Logger: log.logger()})
				failed := e.push(t.Context())
				if failed == nil || failed.reason != reason || failed.after != test.after || failed.again() != test.again {
					t.Fatalf("failed with %+v, want %s after %s, again %v", failed, reason, test.after, test.again)
				}
				e.opts.Config.Timeout = patience
				if failed := e.push(t.Context()); failed != nil {
					t.Fatalf("the next push: %v", failed)
				}
				got := counts(t, e.opts.Health)
				if got[`nasight_otlp_failures_total{reason="`+reason+`",signal="metrics"}`] != 1 || got[`nasight_otlp_pushes_total{signal="metrics"}`] != 1 {
					t.Errorf("counted %v", got)
				}
				first, rest, _ := strings.Cut(log.String(), "\n")
				if !strings.Contains(first, "OTLP push failed") || !strings.Contains(first, "endpoint="+r.endpoint) || !strings.Contains(first, "; "+test.advice[protocol]) {
					t.Errorf("want where it failed and %q: %s", test.advice[protocol], first)
				}
				if text := log.String(); strings.Contains(rest, "OTLP push failed") || !strings.Contains(text, "works again") {
					t.Errorf("log:\n%s", text)
				}
			})
		}
	}
}

// The receiver is not there at all: pushes fail, and nothing waits.
func TestReceiverDown(t *testing.T) {
	for _, protocol := range protocols {
		var log logged
		e := newExporter(t, Options{Config: configFor("http://127.0.0.1:1", protocol), Sources: one(), Logger: log.logger()})
		for range 3 {
			if failed := e.push(t.Context()); failed == nil || failed.reason != reasonUnreachable || !failed.again() {
				t.Errorf("%s: failed with %+v", protocol, failed)
			}
		}
		if text := log.String(); strings.Count(text, "\n") != 1 {
			t.Errorf("%s: three failures of one kind are one line, not\n%s", protocol, text)
		}
		if got := counts(t, e.opts.Health); got[`nasight_otlp_failures_total{reason="unreachable",signal="metrics"}`] != 3 {
			t.Errorf("%s: counted %v", protocol, got)
		}
	}
}

func TestTLS(t *testing.T) {
	expired, expiredFile := certificate(t, time.Now().Add(-time.Hour))
	valid, validFile := certificate(t, time.Now().Add(time.Hour))
	for name, test := range map[string]struct {
		server *tls.Config
		client TLS
		advice string // empty where it works
	}{
		"trusted":              {valid, TLS{CAFile: validFile}, ""},
		"not asked":            {valid, TLS{InsecureSkipVerify: true}, ""},
		"unknown authority":    {valid, TLS{}, "name its authority's certificate in export.otlp.tls.ca_file"},
		"expired":              {expired, TLS{CAFile: expiredFile}, "renew the server's certificate, or set the clock of this machine right"},
		"of another authority": {valid, TLS{CAFile: expiredFile}, "in export.otlp.tls.ca_file"},
		"of another name":      {valid, TLS{CAFile: validFile, ServerName: "other.example.com"}, "into export.otlp.endpoint or export.otlp.tls.server_name"},
		"no TLS at all":        {nil, TLS{CAFile: validFile}, "write http:// in export.otlp.endpoint"},
	} {
		for _, protocol := range protocols {
			t.Run(name+" "+protocol, func(t *testing.T) {
				r := newSecureReceiver(t, protocol, test.server.Clone())
				cfg := configFor(strings.Replace(r.endpoint, "http:", "https:", 1), protocol)
				cfg.TLS = test.client
				var log logged
				e := newExporter(t, Options{Config: cfg, Sources: one(), Logger: log.logger()})
				failed := e.push(t.Context())
				if test.advice == "" && failed != nil || test.advice != "" && (failed == nil || failed.reason != reasonTLS) {
					t.Errorf("failed with %+v", failed)
				}
				if text := log.String(); !strings.Contains(text, test.advice) || test.advice != "" && (strings.Count(text, "\n") != 1 || !strings.Contains(text, cfg.Endpoint)) {
					t.Errorf("want the endpoint and %q in one line: %s", test.advice, text)
				}
			})
		}
	}
}

// Whether the alert of a server that wants a certificate comes before the end of the connection is up to the network: here are its words.
func TestCertificateOfTheClient(t *testing.T) {
	for _, err := range []error{
		status.Error(codes.Unavailable, "connection error: desc = \"error reading server preface: remote error: tls: certificate required\""),
		errors.New("Post \"https://192.0.2.1:4318/v1/metrics\": remote error: tls: certificate required"),
	} {
		failed := failureOf(err, &answer{})
		if failed.reason != reasonTLS || !strings.HasSuffix(failed.Error(), "; the server wants a certificate of its clients: name one in export.otlp.tls.cert_file and key_file") {
			t.Errorf("%v", failed)
		}
	}
}

// What is rejected of a push is counted each time, logged once while it lasts, and no reason to push again.
func TestPartialSuccess(t *testing.T) {
	for _, protocol := range protocols {
		partly := behaviour{rejected: 3, message: "label too long"}
		r := newReceiver(t, protocol, partly, partly)
		var log logged
		e := newExporter(t, Options{Config: configFor(r.endpoint, protocol), Sources: one(), Logger: log.logger()})
		for range 3 {
			if failed := e.push(t.Context()); failed != nil {
				t.Errorf("%s: failed with %v", protocol, failed)
			}
		}
		got := counts(t, e.opts.Health)
		if got[`nasight_otlp_rejected_total{signal="metrics"}`] != 6 || got[`nasight_otlp_pushes_total{signal="metrics"}`] != 3 {
			t.Errorf("%s: counted %v", protocol, got)
		}
		if text := log.String(); strings.Count(text, "label too long") != 1 {
			t.Errorf("%s: log:\n%s", protocol, text)
		}
	}
}

// No secret is told, whatever becomes of a request that has one.
func TestSecretsStaySecret(t *testing.T) {
	const secret = "s3cret-t0ken"
	for _, protocol := range protocols {
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte("Bearer "+secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		r := newReceiver(t, protocol, behaviour{status: 401, rpc: rpc(t, codes.Unauthenticated, 0)})
		cfg := configFor(r.endpoint, protocol)
		cfg.HeaderFiles, cfg.Headers = map[string]string{"Authorization": file}, map[string]string{"X-Key": secret}
		var log logged
		e := newExporter(t, Options{Config: cfg, Sources: one(), Logger: log.logger()})
		first := e.push(t.Context())
		if err := os.WriteFile(file, []byte(secret+"\n"+secret), 0o600); err != nil {
			t.Fatal(err)
		}
		second := e.push(t.Context())
		if first == nil || second == nil || first.reason != reasonCredentials || second.reason != reasonCredentials {
			t.Fatalf("%s: failed with %v and %v", protocol, first, second)
		}
		if text := log.String() + first.Error() + second.Error(); strings.Contains(text, secret) || text == "" {
			t.Errorf("%s: told\n%s", protocol, text)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if _, err := New(t.Context(), Options{Config: cfg}); err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "header Authorization") {
			t.Errorf("%s: without the file: %v", protocol, err)
		}
	}
}

// After a failure the pause doubles up to the interval; what the receiver asks for is kept; what it does not want waits its turn.
func TestPace(t *testing.T) {
	p := &pace{interval: 10 * time.Second, first: time.Second, pause: time.Second}
	lost, refused := &failure{reason: reasonUnreachable, err: errors.New("x")}, &failure{reason: reasonRefused, err: errors.New("x")}
	asked := &failure{reason: reasonThrottled, after: time.Minute, err: errors.New("x")}
	for i, step := range []struct {
		failed      *failure
		took        time.Duration
		least, most time.Duration
	}{
		{nil, 3 * time.Second, 7 * time.Second, 7 * time.Second},
		{nil, time.Minute, 0, 0},
		{lost, 0, time.Second, 1100 * time.Millisecond},
		{lost, 0, 2 * time.Second, 2200 * time.Millisecond},
		{lost, 0, 4 * time.Second, 4400 * time.Millisecond},
		{lost, 0, 8 * time.Second, 8800 * time.Millisecond},
		{lost, 0, 10 * time.Second, 11 * time.Second},
		{lost, 0, 10 * time.Second, 11 * time.Second},
		{asked, 0, time.Minute, time.Minute},
		{refused, time.Second, 9 * time.Second, 9 * time.Second},
		{lost, 0, time.Second, 1100 * time.Millisecond},
	} {
		if got := p.next(step.failed, step.took); got < step.least || got > step.most+1 {
			t.Errorf("step %d: %s, want %s to %s", i, got, step.least, step.most)
		}
	}
	if start := p.start(); start < time.Second || start > 2*time.Second {
		t.Errorf("starts after %s", start)
	}
}

func TestReasonOfNetwork(t *testing.T) {
	for want, err := range map[string]error{
		reasonTimeout: context.DeadlineExceeded, reasonOther: errors.New("no idea"), reasonUnreachable: &net.DNSError{Err: "no such host"},
	} {
		if got := reasonOfNetwork(err); got != want {
			t.Errorf("%v is %s, want %s", err, got, want)
		}
	}
}
