package config

import (
	"fmt"
	"strings"
	"testing"
)

func TestIsOwn(t *testing.T) {
	for _, row := range []struct {
		listen, address string
		own             bool
	}{
		{":9877", "http://localhost:9877", true},
		{":9877", "http://LOCALHOST:9877/api/v1/write", true},
		{":9877", "http://127.0.0.1:9877", true},
		{":9877", "http://[::1]:9877", true},
		{":9877", "http://0.0.0.0:9877", true},
		{"0.0.0.0:9877", "http://127.0.0.1:9877", true},
		{"[::]:9877", "http://localhost:9877", true},
		{"127.0.0.1:9877", "http://localhost:9877", true},
		{"localhost:9877", "http://127.0.0.1:9877", true},
		{"192.0.2.1:9877", "http://192.0.2.1:9877", true},
		{"nasight.example.com:80", "http://nasight.example.com", true},
		{"192.0.2.1:443", "https://192.0.2.1/api/v1/write", true},
		{":9877", "http://127.0.0.1:9090", false},
		{":9877", "http://prometheus.example.com:9877", false},
		{"127.0.0.1:9877", "http://127.0.0.2:9877", false},
		{"192.0.2.1:9877", "http://192.0.2.2:9877", false},
		{"127.0.0.1:0", "http://127.0.0.1:0", false},
		{":9877", "", false},
	} {
		if got := isOwn(row.listen, row.address); got != row.own {
			t.Errorf("listening at %s, sending to %s: %t", row.listen, row.address, got)
		}
	}
}

func TestConfigThatSendsToItself(t *testing.T) {
	cfg := Default()
	cfg.Web.ListenAddress = ":9877"
	if err := cfg.CheckLoops(); err != nil {
		t.Error(err)
	}
	cfg.Export.RemoteWrite = []RemoteWrite{{URL: "http://prometheus.example.com:9090/api/v1/write"}, {URL: "http://localhost:9877/api/v1/write"}}
	if err := cfg.CheckLoops(); err == nil || !strings.HasPrefix(err.Error(), "export.remote_write[1].url: is where nasight itself listens") {
		t.Errorf("got %v", err)
	}
	cfg = Default()
	cfg.History.URL, cfg.History.WriteURL = "http://127.0.0.1:9877", "http://127.0.0.1:9877/api/v1/write"
	cfg.Web.ListenAddress = ":9877"
	if found := cfg.validate(); len(found) != 2 || !strings.Contains(fmt.Sprint(found), "where nasight itself listens") {
		t.Errorf("found %v", found)
	}
}
