package azure

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nasight/nasight/simulator/faults"
)

// route is one kind of call. Resource ids are compared without case, as Azure does, so http.ServeMux cannot route them.
type route struct {
	method    string
	pattern   []string // segments in lower case; {name} stands for one
	kind      string
	operation operation
	versioned bool // api-version is demanded
	answer    func(*call) (any, *failure)
}

func (s *Server) table() []route {
	const (
		subscription = "subscriptions/{subscription}"
		accounts     = subscription + "/resourcegroups/{group}/providers/microsoft.storage/storageaccounts"
		service      = accounts + "/{account}/fileservices/default"
		insights     = service + "/providers/microsoft.insights/"
		features     = subscription + "/providers/microsoft.features/"
		netapp       = subscription + "/resourcegroups/{group}/providers/microsoft.netapp/netappaccounts"
		pools        = netapp + "/{account}/capacitypools"
		volumes      = pools + "/{pool}/volumes"
	)
	get := func(pattern, kind string, o operation, answer func(*call) (any, *failure)) route {
		return route{http.MethodGet, strings.Split(pattern, "/"), kind, o, true, answer}
	}
	return []route{
		get("subscriptions", "subscriptions.list", read, listSubscriptions),
		get(subscription, "subscriptions.get", read, getSubscription),
		get(subscription+"/providers/{namespace}", "providers.get", read, getProvider),
		get(subscription+"/providers/microsoft.storage/storageaccounts", "storageAccounts.list", storageList, listAccounts),
		get(accounts, "storageAccounts.list", storageList, listAccounts),
		get(accounts+"/{account}", "storageAccounts.get", storageRead, getAccount),
		get(accounts+"/{account}/fileservices", "fileServices.list", storageList, listServices),
		get(service, "fileServices.get", storageRead, getService),
		get(service+"/shares", "shares.list", storageList, listShares),
		get(service+"/shares/{share}", "shares.get", storageRead, getShare),
		get(service+"/usages", "usages.list", storageList, listUsages),
		get(service+"/usages/default", "usages.get", storageRead, getUsage),
		get(features+"features", "features.list", read, listFeatures),
		get(features+"providers/{namespace}/features", "features.list", read, listFeatures),
		get(features+"providers/{namespace}/features/{feature}", "features.get", read, getFeature),
		get(subscription+"/providers/microsoft.netapp/netappaccounts", "netAppAccounts.list", read, listNetAppAccounts),
		get(netapp, "netAppAccounts.list", read, listNetAppAccounts),
		get(netapp+"/{account}", "netAppAccounts.get", read, getNetAppAccount),
		get(pools, "capacityPools.list", read, listCapacityPools),
		get(pools+"/{pool}", "capacityPools.get", read, getCapacityPool),
		get(volumes, "volumes.list", read, listNetAppVolumes),
		get(volumes+"/{volume}", "volumes.get", read, getNetAppVolume),
		get(pools+"/{pool}/providers/microsoft.insights/metrics", "metrics.query", read, queryCapacityPool),
		get(volumes+"/{volume}/providers/microsoft.insights/metrics", "metrics.query", read, queryNetAppVolume),
		get(pools+"/{pool}/providers/microsoft.insights/metricdefinitions", "metrics.definitions", read, defineCapacityPool),
		get(volumes+"/{volume}/providers/microsoft.insights/metricdefinitions", "metrics.definitions", read, defineNetAppVolume),
		get(insights+"metrics", "metrics.query", read, queryMetrics),
		get(insights+"metricdefinitions", "metrics.definitions", read, listDefinitions),
		get(insights+"metricnamespaces", "metrics.namespaces", read, listNamespaces),
		{http.MethodPost, strings.Split(subscription+"/metrics:getbatch", "/"), "metrics.batch", uncounted, true, queryBatch},
		{http.MethodPost, strings.Split("v1/workspaces/{workspace}/query", "/"), "logs.query", uncounted, false, queryLogs},
		{http.MethodPost, strings.Split("v1/"+service+"/query", "/"), "logs.query", uncounted, false, queryAccountLogs},
	}
}

// provider is the resource provider that answers. Resource Manager itself and what is served beside it have none.
func (r route) provider() string {
	if r.operation == uncounted {
		return ""
	}
	for _, name := range namespaces() {
		if slices.Contains(r.pattern, strings.ToLower(name)) {
			return name
		}
	}
	return ""
}

// match gives what the placeholders hold.
func (r route) match(method string, segments []string) (map[string]string, bool) {
	if r.method != method || len(r.pattern) != len(segments) {
		return nil, false
	}
	held := map[string]string{}
	for i, part := range r.pattern {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			held[strings.TrimSuffix(name, "}")] = segments[i]
		} else if part != segments[i] {
			return nil, false
		}
	}
	return held, true
}

// handler serves Azure, and the emulator's own endpoint under /emulator/.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	s.handleControl(mux)
	mux.HandleFunc("/", s.serve)
	return mux
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	segments := strings.Split(strings.ToLower(strings.Trim(r.URL.Path, "/")), "/")
	for _, route := range s.routes {
		if held, ok := route.match(r.Method, segments); ok {
			s.serveRoute(w, r, route, held)
			return
		}
	}
	s.usage.call("unknown", "", r.UserAgent(), true)
	s.refuse(w, failed(http.StatusNotFound, "InvalidResourceType", "The emulator does not serve %s %s.", r.Method, r.URL.Path))
}

func (s *Server) serveRoute(w http.ResponseWriter, r *http.Request, route route, held map[string]string) {
	c := &call{server: s, kind: route.kind, request: r, query: lowerNames(r.URL.Query()), path: held, now: s.Now()}
	failure := s.begin(r.Context(), c, w.Header(), route)
	var body []byte
	if failure == nil {
		var value any
		if value, failure = route.answer(c); failure == nil {
			body, failure = encode(c, value)
		}
	}
	s.usage.call(c.kind, held["subscription"], r.UserAgent(), failure != nil)
	if failure != nil {
		s.refuse(w, failure)
		return
	}
	if c.hit(faults.HalfPage) {
		body = body[:len(body)/2]
	}
	s.write(w, http.StatusOK, body)
}

// lowerNames has the names of parameters without case, as Azure reads them.
func lowerNames(query url.Values) url.Values {
	out := url.Values{}
	for name, values := range query {
		out[strings.ToLower(name)] = values
	}
	return out
}

func encode(c *call, value any) ([]byte, *failure) {
	body, err := json.Marshal(value)
	if err == nil && (c.hit(faults.UnknownEnum) || c.hit(faults.UnknownField) || c.hit(faults.WrongType)) {
		body, err = distorted(body, c)
	}
	if err != nil {
		return nil, failed(http.StatusInternalServerError, "InternalServerError", "the answer cannot be written: %v", err)
	}
	return body, nil
}

func (s *Server) write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Date", s.Now().UTC().Format(http.TimeFormat))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// refuse answers with the failure as Azure writes it, or ends the connection.
func (s *Server) refuse(w http.ResponseWriter, f *failure) {
	if f.cut {
		panic(http.ErrAbortHandler) // the server's own way to end a connection without an answer
	}
	if f.retryAfter > 0 || f.status == http.StatusTooManyRequests { // which never comes without, but may say 0
		seconds := int64((f.retryAfter + time.Second - 1) / time.Second)
		w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
	body, err := json.Marshal(map[string]any{"error": map[string]string{"code": f.code, "message": f.message}})
	if err != nil {
		body = nil // texts cannot fail
	}
	s.write(w, f.status, body)
}
