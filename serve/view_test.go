package serve

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
)

func TestPlainView(t *testing.T) {
	client := &fleet.Client{Host: "a", Coverage: fleet.Unknown, Mounts: []*fleet.Mount{{NConnect: 4, MountPoints: []string{"/mnt"}, Classes: map[string]fleet.Class{"read": {RTT: 0.5}}}}}
	client.Endpoints = []*fleet.Endpoint{{Client: client, LowestRTT: 0.001}}
	view := fleet.Fleet{At: time.Unix(0, 0).UTC(), Window: time.Minute, Clients: []*fleet.Client{client}}
	body, err := json.Marshal(plain(reflect.ValueOf(view)))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	at := func(path ...any) any {
		var v any = got
		for _, step := range path {
			switch step := step.(type) {
			case string:
				object, ok := v.(map[string]any)
				if !ok {
					t.Fatalf("%v: no object before %q in %s", path, step, body)
				}
				if v, ok = object[step]; !ok {
					t.Errorf("%v: no %q in %s", path, step, body)
				}
			case int:
				v = v.([]any)[step]
			}
		}
		return v
	}
	for _, test := range []struct {
		want any
		path []any
	}{
		{"1970-01-01T00:00:00Z", []any{"at"}},
		{60.0, []any{"window_seconds"}},
		{nil, []any{"clients", 0, "coverage"}},
		{4.0, []any{"clients", 0, "mounts", 0, "nconnect"}},
		{0.5, []any{"clients", 0, "mounts", 0, "classes", "read", "rtt"}},
		{0.001, []any{"clients", 0, "endpoints", 0, "lowest_rtt"}},
	} {
		if got := at(test.path...); got != test.want {
			t.Errorf("%v is %v, want %v", test.path, got, test.want)
		}
	}
	endpoint := at("clients", 0, "endpoints", 0).(map[string]any)
	if _, ok := endpoint["client"]; ok {
		t.Error("an endpoint leads back to its client")
	}
	if sessions, ok := endpoint["sessions"].([]any); !ok || len(sessions) != 0 {
		t.Errorf("no sessions are %v, want []", endpoint["sessions"])
	}
}

func TestUnderscored(t *testing.T) {
	for name, want := range map[string]string{
		"LowestRTT": "lowest_rtt", "NConnect": "nconnect", "RTT": "rtt", "MinRTT": "min_rtt", "CPU": "cpu", "OutOfOrder": "out_of_order",
		"NIC": "nic", "Host": "host", "ReadSize": "read_size", "CPUCores": "cpu_cores",
	} {
		if got := underscored(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}
