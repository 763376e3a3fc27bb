package simulator_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/googleapi"
	netapp "google.golang.org/api/netapp/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/nasight/nasight/simulator"
)

// A token opens the projects that it is for; without one, or with another, nothing opens.
func TestAccess(t *testing.T) {
	f := start(t, simulator.Options{Access: map[string][]string{"viewer": {"example-prod"}, "owner": nil}})
	for _, row := range []struct {
		token, project string
		grpc           codes.Code
		http           int
	}{
		{"", prod, codes.Unauthenticated, 401},
		{"stranger", prod, codes.Unauthenticated, 401},
		{"viewer", prod, codes.OK, 0},
		{"viewer", "projects/100000000001", codes.OK, 0},
		{"viewer", files, codes.PermissionDenied, 403},
		{"owner", files, codes.OK, 0},
	} {
		client, service := f, f.netapp
		if row.token != "" {
			client.metrics = metricClient(t, f.ClientOptionsAs(row.token))
			var err error
			if service, err = netapp.NewService(t.Context(), f.RESTOptionsAs(row.token)...); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := client.try(t.Context(), ask(row.project, "volume/bytes_used", "")); status.Code(err) != row.grpc {
			t.Errorf("%q for %s: %v, want %s", row.token, row.project, err, row.grpc)
		}
		_, err := service.Projects.Locations.Volumes.List(row.project + "/locations/-").Context(t.Context()).Do()
		code, refused := 0, (*googleapi.Error)(nil)
		if errors.As(err, &refused) {
			code = refused.Code
		}
		if code != row.http || (code == 0 && err != nil) {
			t.Errorf("%q for %s: %v, want %d", row.token, row.project, err, row.http)
		}
	}
}

// The emulator ends with the context of Start, and Close may be called however often.
func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server, err := simulator.Start(ctx, simulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	deadline, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	for {
		request, err := http.NewRequestWithContext(deadline, http.MethodGet, server.URL()+"/emulator/usage", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Close = true
		response, err := http.DefaultClient.Do(request)
		if deadline.Err() != nil {
			t.Fatal("the emulator still serves")
		}
		if err != nil {
			break
		}
		response.Body.Close()
	}
	if err := errors.Join(server.Close(), server.Close()); err != nil {
		t.Error(err)
	}
}

func TestStartRefuses(t *testing.T) {
	for want, options := range map[string]simulator.Options{
		"speed":             {Speed: -1},
		"instance \"none\"": {Instance: "none"},
		"127.0.0.1:99999":   {HTTPAddress: "127.0.0.1:99999"},
		"192.0.2.1:9":       {GRPCAddress: "192.0.2.1:9"},
	} {
		server, err := simulator.Start(t.Context(), options)
		if err == nil {
			server.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want one line about %s", options, err, want)
		}
	}
}

// A speed of 60 makes an hour of a minute.
func TestSpeed(t *testing.T) {
	clock := epoch
	server, err := simulator.Start(t.Context(), simulator.Options{Clock: func() time.Time { return clock }, Speed: 60})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	clock = epoch.Add(time.Minute)
	if got := server.Now(); !got.Equal(epoch.Add(time.Hour)) {
		t.Errorf("now %s, want an hour after %s", got, epoch)
	}
	if !server.Model().Epoch().Equal(epoch) {
		t.Errorf("epoch %s", server.Model().Epoch())
	}
}
