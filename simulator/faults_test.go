package simulator_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/googleapi"
	netapp "google.golang.org/api/netapp/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/nasight/nasight/simulator"
	"github.com/nasight/nasight/simulator/faults"
)

func (f fleet) inject(fault faults.Fault) {
	f.t.Helper()
	if _, err := f.Inject(fault); err != nil {
		f.t.Fatal(err)
	}
}

// once reads the first page of a metric without the client's own retries.
func (f fleet) once(ctx context.Context, request *monitoringpb.ListTimeSeriesRequest) (*monitoringpb.ListTimeSeriesResponse, error) {
	series := f.metrics.ListTimeSeries(ctx, request, gax.WithRetry(func() gax.Retryer { return nil }))
	if _, err := series.Next(); err != nil && series.Response == nil {
		return nil, err
	}
	response, ok := series.Response.(*monitoringpb.ListTimeSeriesResponse)
	if !ok {
		return nil, errors.New("the client has no response")
	}
	return response, nil
}

// An API that is not enabled is told as such to programs, over both protocols.
func TestServiceDisabled(t *testing.T) {
	f := start(t, simulator.Options{})
	f.inject(faults.Fault{Kind: faults.ServiceDisabled, Project: "example-prod"})
	_, overGRPC := f.once(t.Context(), ask(prod, "volume/bytes_used", ""))
	_, overHTTP := f.netapp.Projects.Locations.Volumes.List(prod + "/locations/-").Context(t.Context()).Do()
	info, _ := slices.Concat(status.Convert(overGRPC).Details(), []any{nil})[0].(*errdetails.ErrorInfo)
	want := map[string]string{"service": "monitoring.googleapis.com", "consumer": "projects/100000000001"}
	if info.GetReason() != "SERVICE_DISABLED" || !maps.Equal(info.GetMetadata(), want) {
		t.Errorf("over gRPC: %v, details %v", overGRPC, info)
	}
	var refused *googleapi.Error
	details := []any{map[string]any{
		"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "SERVICE_DISABLED", "domain": "googleapis.com",
		"metadata": map[string]any{"service": "netapp.googleapis.com", "consumer": "projects/100000000001"},
	}}
	if !errors.As(overHTTP, &refused) || refused.Code != http.StatusForbidden || !reflect.DeepEqual(refused.Details, details) {
		t.Errorf("over HTTP: %v", overHTTP)
	}
}

// Each failure of calls arrives at both clients as the service would send it, as often as it was asked for, and only where.
func TestFailuresOfCalls(t *testing.T) {
	f := start(t, simulator.Options{})
	for _, row := range []struct {
		kind faults.Kind
		grpc codes.Code
		http int
	}{
		{faults.TooManyRequests, codes.ResourceExhausted, 429},
		{faults.Unavailable, codes.Unavailable, 503},
		{faults.Unauthenticated, codes.Unauthenticated, 401},
		{faults.Forbidden, codes.PermissionDenied, 403},
		{faults.ServiceDisabled, codes.PermissionDenied, 403},
	} {
		f.inject(faults.Fault{Kind: row.kind, Method: "ListTimeSeries", Project: "example-prod", Times: 1, RetryAfter: 1500 * time.Millisecond})
		if _, err := f.once(t.Context(), ask(files, "volume/bytes_used", "")); err != nil {
			t.Errorf("%s hit another project: %v", row.kind, err)
		}
		_, err := f.once(t.Context(), ask(prod, "volume/bytes_used", ""))
		if status.Code(err) != row.grpc {
			t.Errorf("%s: %v, want %s", row.kind, err, row.grpc)
		}
		details := status.Convert(err).Details()
		wait, _ := slices.Concat(details, []any{nil})[0].(*errdetails.RetryInfo)
		if waits := row.http == 429 || row.http == 503; waits != (wait.GetRetryDelay().AsDuration() == 1500*time.Millisecond) {
			t.Errorf("%s: details %v", row.kind, details)
		}
		if _, err := f.once(t.Context(), ask(prod, "volume/bytes_used", "")); err != nil {
			t.Errorf("%s hit twice: %v", row.kind, err)
		}
		f.inject(faults.Fault{Kind: row.kind, Method: "volumes.list", RetryAfter: 1500 * time.Millisecond})
		_, err = f.netapp.Projects.Locations.Volumes.List(prod + "/locations/-").Context(t.Context()).Do()
		var refused *googleapi.Error
		if !errors.As(err, &refused) || refused.Code != row.http || (row.http == 429) != (refused.Header.Get("Retry-After") == "2" && row.http == 429) {
			t.Errorf("%s: %v, want %d", row.kind, err, row.http)
		}
		f.Heal()
	}
	if len(f.Faults()) != 0 {
		t.Errorf("left: %v", f.Faults())
	}
}

// The real client tries again after UNAVAILABLE; the second page of a listing can fail alone.
func TestRetriesAndLaterPages(t *testing.T) {
	f := start(t, simulator.Options{})
	f.inject(faults.Fault{Kind: faults.Unavailable, Method: "ListTimeSeries", Times: 1})
	if got := f.list(ask(prod, "volume/bytes_used", "")); len(got) == 0 || f.Usage().Of("ListTimeSeries") != 2 {
		t.Errorf("%d series after %d calls", len(got), f.Usage().Of("ListTimeSeries"))
	}
	f.inject(faults.Fault{Kind: faults.Forbidden, Method: "ListTimeSeries", Skip: 1})
	request := ask(prod, "volume/bytes_used", "")
	request.PageSize = 10
	if got, err := f.try(t.Context(), request); len(got) == 0 || status.Code(err) != codes.PermissionDenied {
		t.Errorf("%d series and %v, want the first page and a refusal", len(got), err)
	}
}

func TestCutConnections(t *testing.T) {
	f := start(t, simulator.Options{})
	f.inject(faults.Fault{Kind: faults.Cut, Times: 1, Method: "ListTimeSeries"})
	if _, err := f.once(t.Context(), ask(prod, "volume/bytes_used", "")); status.Code(err) != codes.Unavailable || strings.Contains(err.Error(), "connection cut") {
		t.Errorf("gRPC: %v, want the end of the connection", err)
	}
	if got := f.list(ask(prod, "volume/bytes_used", "")); len(got) == 0 {
		t.Error("the client did not connect again")
	}
	f.inject(faults.Fault{Kind: faults.Cut, Method: "storagePools.list", Times: 1})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.URL()+"/v1/projects/example-prod/locations/-/storagePools", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableKeepAlives: true} // a connection that was used before is tried again in silence
	response, err := transport.RoundTrip(request)
	if err == nil {
		response.Body.Close()
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("HTTP: %v, want the end of the connection", err)
	}
}

func TestLatency(t *testing.T) {
	f := start(t, simulator.Options{})
	f.inject(faults.Fault{Kind: faults.Latency, Delay: time.Hour, Method: "ListTimeSeries"})
	f.inject(faults.Fault{Kind: faults.Latency, Delay: time.Hour, Method: "volumes.list"})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := f.once(ctx, ask(prod, "volume/bytes_used", "")); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("gRPC: %v, want a deadline that passed", err)
	}
	if _, err := f.netapp.Projects.Locations.Volumes.List(prod + "/locations/-").Context(ctx).Do(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("HTTP: %v, want a deadline that passed", err)
	}
	f.Heal()
	f.inject(faults.Fault{Kind: faults.Latency, Delay: 20 * time.Millisecond, Method: "volumes.list"})
	began := time.Now()
	if n := len(f.volumes(prod+"/locations/-", 0)); n == 0 || time.Since(began) < 20*time.Millisecond {
		t.Errorf("%d volumes after %s", n, time.Since(began))
	}
}

// Odd pages: shorter than they may be, empty, cut in the middle, and incomplete by their own words.
func TestOddPages(t *testing.T) {
	f := start(t, simulator.Options{})
	request := ask(prod, "volume/bytes_used", "")
	whole := flatten(f.list(request))
	for _, kind := range []faults.Kind{faults.HalfPage, faults.EmptyPage} {
		f.inject(faults.Fault{Kind: kind, Method: "ListTimeSeries", Times: 1})
		request.PageSize = 40
		if got := flatten(f.list(request)); !slices.Equal(whole, got) {
			t.Errorf("%s: %d of %d points", kind, len(got), len(whole))
		}
		if len(f.Faults()) != 0 {
			t.Errorf("%s hit nothing", kind)
		}
	}
	f.inject(faults.Fault{Kind: faults.EmptyPage, Method: "volumes.list", Times: 1})
	if n := len(f.volumes(prod+"/locations/-", 5)); n != len(f.volumes(prod+"/locations/-", 0)) {
		t.Errorf("%d volumes after an empty page", n)
	}
	f.inject(faults.Fault{Kind: faults.HalfPage, Method: "volumes.list", Times: 1})
	if _, err := f.netapp.Projects.Locations.Volumes.List(prod + "/locations/-").Context(t.Context()).Do(); err == nil {
		t.Error("half a body was read")
	}
	f.inject(faults.Fault{Kind: faults.ExecutionErrors, Method: "ListTimeSeries", Times: 1})
	request.PageSize = 0
	response, err := f.once(t.Context(), request)
	if err != nil || len(response.GetExecutionErrors()) != 1 || len(response.GetTimeSeries()) == 0 || 2*len(flatten(response.GetTimeSeries())) > len(whole)+20 {
		t.Errorf("partial answer: %v, %v", response.GetExecutionErrors(), err)
	}
}

func TestUnreachable(t *testing.T) {
	f := start(t, simulator.Options{})
	f.inject(faults.Fault{Kind: faults.Unreachable, Location: "us-central1-a"})
	page, err := f.netapp.Projects.Locations.Volumes.List(files + "/locations/-").Context(t.Context()).Do()
	if err != nil || !slices.Equal(page.Unreachable, []string{files + "/locations/us-central1-a"}) || len(page.Volumes) == 0 {
		t.Fatalf("%+v, %v", page, err)
	}
	for _, volume := range page.Volumes {
		if volume.Zone == "us-central1-a" {
			t.Errorf("%s cannot be reached", volume.Name)
		}
	}
}

// What a later API could send: the real client reads unknown names and fields, and refuses wrong types.
func TestLaterAPI(t *testing.T) {
	f := start(t, simulator.Options{})
	f.inject(faults.Fault{Kind: faults.UnknownEnum})
	f.inject(faults.Fault{Kind: faults.UnknownField})
	volume := f.volumes(prod+"/locations/-", 0)[0]
	if volume.ServiceLevel != "ULTRA" || !slices.Contains(volume.Protocols, "NFSV5") || volume.CapacityGib != 4096 {
		t.Errorf("volume %+v", volume)
	}
	if body := f.get("/v1/projects/example-prod/locations/-/storagePools", nil, 200); !strings.Contains(string(body), "quantumReadiness") || !json.Valid(body) {
		t.Errorf("body %s", body)
	}
	f.Heal()
	f.inject(faults.Fault{Kind: faults.WrongType, Times: 2})
	if _, err := f.netapp.Projects.Locations.Volumes.List(prod + "/locations/-").Context(t.Context()).Do(); err == nil {
		t.Error("a capacity that is no number was read")
	}
	point := f.list(ask(prod, "volume/bytes_used", ""))[0].GetPoints()[0]
	if point.GetValue().GetStringValue() == "" {
		t.Errorf("point %v", point)
	}
}

// Points that come late, that change, that never come; and a volume that is deleted.
func TestFaultsOfData(t *testing.T) {
	f := start(t, simulator.Options{})
	request := ask(prod, "volume/throughput", ` AND resource.labels.name = one_of("media", "backup") AND metric.labels.type = "read"`)
	whole := f.list(request)
	values := func(all []*monitoringpb.TimeSeries, name string) map[int64]int64 {
		out := map[int64]int64{}
		for _, series := range all {
			for _, point := range series.GetPoints() {
				if series.GetResource().GetLabels()["name"] == name {
					out[point.GetInterval().GetEndTime().GetSeconds()] = point.GetValue().GetInt64Value()
				}
			}
		}
		return out
	}
	want := values(whole, "media")
	check := func(what string, fault faults.Fault, judge func(got map[int64]int64) bool) {
		t.Helper()
		fault.Volume = "media"
		f.inject(fault)
		got := f.list(request)
		if !judge(values(got, "media")) {
			t.Errorf("%s: %v, was %v", what, values(got, "media"), want)
		}
		if len(values(got, "backup")) != len(values(whole, "backup")) {
			t.Errorf("%s hit another volume", what)
		}
		f.Heal()
	}
	check("late", faults.Fault{Kind: faults.Late, Delay: 10 * time.Minute}, func(got map[int64]int64) bool { return len(got) == len(want)-2 })
	check("missing", faults.Fault{Kind: faults.Missing}, func(got map[int64]int64) bool { return len(got) == 0 })
	check("missing elsewhere", faults.Fault{Kind: faults.Missing, Metric: "netapp.googleapis.com/volume/bytes_used"}, func(got map[int64]int64) bool { return len(got) == len(want) })
	check("revised", faults.Fault{Kind: faults.Revised, Delay: 10 * time.Minute}, func(got map[int64]int64) bool {
		changed := 0
		for at, value := range got {
			if half := (want[at] + 1) / 2; value == half || value == want[at]/2 {
				changed++
			} else if value != want[at] {
				return false
			}
		}
		return changed == 2 && len(got) == len(want)
	})
	f.inject(faults.Fault{Kind: faults.Vanished, Volume: "media"})
	f.move(now.Add(30 * time.Minute))
	request.Interval = interval(now.Add(-30*time.Minute), now.Add(30*time.Minute))
	got := values(f.list(request), "media")
	for at := range got {
		if at > now.Unix() {
			t.Errorf("a point at %d, after the volume was deleted", at)
		}
	}
	if len(got) != 6 || slices.ContainsFunc(f.volumes(prod+"/locations/-", 0), func(v *netapp.Volume) bool { return strings.HasSuffix(v.Name, "/media") }) {
		t.Errorf("%d points before the volume was deleted, or it is still listed", len(got))
	}
}

// A share of points is missing, the same ones each time; the real client shows rates without a hole all the same.
func TestGapsLookLikeDataInRates(t *testing.T) {
	f := start(t, simulator.Options{})
	request := ask(prod, "volume/throughput", ` AND resource.labels.name = "backup"`)
	end := epoch.Add(90 * time.Minute)
	request.Interval = interval(end.Add(-24*time.Hour), end)
	f.inject(faults.Fault{Kind: faults.Missing, Share: 0.3})
	raw := f.list(request)
	if n := len(raw[0].GetPoints()); n < 150 || n > 250 || !slices.Equal(flatten(raw), flatten(f.list(request))) {
		t.Errorf("%d of 288 points with three tenths missing", n)
	}
	request.Aggregation = aggregation(5*time.Minute, monitoringpb.Aggregation_ALIGN_RATE, 0)
	if n := len(f.list(request)[0].GetPoints()); n < 280 {
		t.Errorf("%d of 288 rates", n)
	}
}

func TestClockSkew(t *testing.T) {
	f := start(t, simulator.Options{})
	request := ask(prod, "volume/inode_used", ` AND resource.labels.name = "media"`)
	before := len(flatten(f.list(request)))
	f.inject(faults.Fault{Kind: faults.ClockSkew, Delay: -10 * time.Minute})
	if got := len(flatten(f.list(request))); got != before-2 {
		t.Errorf("a clock ten minutes behind shows %d points instead of %d", got, before)
	}
	response, err := http.Get(f.URL() + "/v1/projects/example-prod/locations") //nolint:noctx // ends with the test's server
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if want := now.Add(-10 * time.Minute).Format(http.TimeFormat); response.Header.Get("Date") != want {
		t.Errorf("date %s, want %s", response.Header.Get("Date"), want)
	}
}

func TestControlEndpoint(t *testing.T) {
	f := start(t, simulator.Options{})
	f.do(http.MethodPost, "/emulator/faults", `{"kind": "forbidden", "method": "volumes.list", "times": 2, "retry_after": "3s"}`, nil, 201)
	f.do(http.MethodPost, "/emulator/faults", `{"kind": "latency", "delay": "1s"}`, nil, 201)
	for name, body := range map[string]string{
		"an unknown kind": `{"kind": "fire"}`, "an unknown key": `{"kind": "cut", "colour": "red"}`, "no delay": `{"kind": "late"}`,
		"a bad delay": `{"kind": "late", "delay": "soon"}`, "no JSON": `kind: cut`, "too large a share": `{"kind": "missing", "share": 2}`,
	} {
		if answer := f.do(http.MethodPost, "/emulator/faults", body, nil, 400); !strings.Contains(string(answer), `"error"`) {
			t.Errorf("%s: %s", name, answer)
		}
	}
	f.do(http.MethodDelete, "/emulator/faults/2", "", nil, 204)
	f.do(http.MethodDelete, "/emulator/faults/2", "", nil, 404)
	f.get("/v1/projects/example-prod/locations/-/volumes", nil, 403)
	var list struct{ Faults []faults.Active }
	if err := json.Unmarshal(f.get("/emulator/faults", nil, 200), &list); err != nil || len(list.Faults) != 1 {
		t.Fatalf("faults %+v, %v", list, err)
	}
	want := faults.Active{ID: 1, Since: now, Hits: 1, Fault: faults.Fault{Kind: faults.Forbidden, Method: "volumes.list", Times: 2, RetryAfter: 3 * time.Second}}
	if got := list.Faults[0]; got != want {
		t.Errorf("fault %+v, want %+v", got, want)
	}
	f.do(http.MethodDelete, "/emulator/faults", "", nil, 204)
	f.get("/v1/projects/example-prod/locations/-/volumes", nil, 200)
	var usage struct {
		Calls []struct {
			Method, Project string
			Count, Failed   int64
		}
	}
	if err := json.Unmarshal(f.get("/emulator/usage", nil, 200), &usage); err != nil || len(usage.Calls) != 1 || usage.Calls[0].Count != 2 || usage.Calls[0].Failed != 1 {
		t.Errorf("usage %+v, %v", usage, err)
	}
}

// The control endpoint says what it can be asked, and what each kind of fault does.
func TestControlEndpointSaysWhatThereIs(t *testing.T) {
	f := start(t, simulator.Options{})
	var contents struct {
		Endpoints map[string]string      `json:"endpoints"`
		Kinds     map[faults.Kind]string `json:"kinds"`
	}
	if err := json.Unmarshal(f.get("/emulator/", nil, 200), &contents); err != nil {
		t.Fatal(err)
	}
	if len(contents.Endpoints) != 5 || contents.Endpoints["POST /emulator/faults"] == "" || len(contents.Kinds) != len(faults.Kinds()) {
		t.Errorf("%+v", contents)
	}
	for _, kind := range faults.Kinds() {
		if contents.Kinds[kind] == "" {
			t.Errorf("nothing is said of %s", kind)
		}
	}
	f.get("/emulator/nothing", nil, 404)
}
