package gcp

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/nasight/nasight/simulator/faults"
)

// Handler serves the NetApp API under /v1/, the metadata server under /computeMetadata/ and the control endpoint under
// /emulator/.
func (c *Cloud) Handler() http.Handler {
	mux := http.NewServeMux()
	const location = "/v1/projects/{project}/locations/{location}"
	rest := func(pattern, method string, answer func(restCall) (any, *failure)) {
		mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) { c.serveREST(w, r, method, answer) })
	}
	rest("/v1/projects/{project}/locations", "locations.list", c.listLocations)
	rest(location+"/storagePools", "storagePools.list", c.listPools)
	rest(location+"/storagePools/{item}", "storagePools.get", c.getPool)
	rest(location+"/volumes", "volumes.list", c.listVolumes)
	rest(location+"/volumes/{item}", "volumes.get", c.getVolume)
	rest(location+"/volumes/{volume}/replications", "replications.list", c.listReplications)
	rest(location+"/volumes/{volume}/replications/{item}", "replications.get", c.getReplication)
	mux.HandleFunc("/v1/", c.serveUnknown)
	c.handleMetadata(mux)
	c.handleControl(mux)
	return mux
}

// restCall is one call of the NetApp API that may be answered.
type restCall struct {
	call

	cloud   *Cloud
	request *http.Request
	named   string // the project as the client wrote it
	method  string
	now     time.Time
}

func (c *Cloud) serveREST(w http.ResponseWriter, r *http.Request, method string, answer func(restCall) (any, *failure)) {
	project := r.PathValue("project")
	call, failure := c.begin(r.Context(), method, project, r.Header.Get("Authorization"))
	var body []byte
	if failure == nil {
		var value any
		value, failure = answer(restCall{call, c, r, project, method, c.clock()})
		if failure == nil {
			body, failure = c.encode(call, value)
		}
	}
	c.usage.call(method, project, r.UserAgent(), failure != nil)
	if failure != nil {
		c.refuse(w, failure)
		return
	}
	if call.hit(faults.HalfPage) {
		body = body[:len(body)/2]
	}
	c.write(w, http.StatusOK, body)
}

// encode makes the body, with what a later API or a wrong answer would hold.
func (c *Cloud) encode(call call, value any) ([]byte, *failure) {
	body, err := json.Marshal(value)
	if err != nil {
		return nil, failed(codes.Internal, "the answer cannot be written: %v", err)
	}
	if call.hit(faults.UnknownEnum) || call.hit(faults.UnknownField) || call.hit(faults.WrongType) {
		body, err = distorted(body, call)
		if err != nil {
			return nil, failed(codes.Internal, "the answer cannot be written: %v", err)
		}
	}
	return body, nil
}

func (c *Cloud) write(w http.ResponseWriter, code int, body []byte) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.Header().Set("Date", c.clock().UTC().Format(http.TimeFormat))
	w.WriteHeader(code)
	_, _ = w.Write(body)
}

// refuse answers with the failure as google.rpc.Status, or cuts the connection.
func (c *Cloud) refuse(w http.ResponseWriter, f *failure) {
	if f.cut {
		if hijacker, ok := w.(http.Hijacker); ok {
			if conn, _, err := hijacker.Hijack(); err == nil {
				_ = conn.Close() // the peer sees the end either way
				return
			}
		}
		panic(http.ErrAbortHandler) // the server's own way to end a connection without an answer
	}
	if f.retryAfter > 0 {
		seconds := int64((f.retryAfter + time.Second - 1) / time.Second)
		w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
	code := httpStatus(f.code)
	failure := map[string]any{"code": code, "message": f.message, "status": statusName(f.code)}
	if f.info != nil {
		failure["details"] = []any{map[string]any{
			"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": f.info.GetReason(), "domain": f.info.GetDomain(), "metadata": f.info.GetMetadata(),
		}}
	}
	body, err := json.Marshal(map[string]any{"error": failure})
	if err != nil {
		body = nil // texts and numbers cannot fail
	}
	c.write(w, code, body)
}

func (c *Cloud) serveUnknown(w http.ResponseWriter, r *http.Request) {
	c.usage.call(r.Method, "", r.UserAgent(), true)
	if r.Method != http.MethodGet {
		c.refuse(w, failed(codes.Unimplemented, "the emulator serves only what reads: %s is no such method", r.Method))
		return
	}
	c.refuse(w, failed(codes.NotFound, "The requested URL %s was not found on this server.", r.URL.Path))
}

// httpStatus is the HTTP status that Google's APIs answer with.
func httpStatus(code codes.Code) int {
	switch code {
	case codes.InvalidArgument:
		return http.StatusBadRequest
	case codes.Unauthenticated:
		return http.StatusUnauthorized
	case codes.PermissionDenied:
		return http.StatusForbidden
	case codes.NotFound:
		return http.StatusNotFound
	case codes.ResourceExhausted:
		return http.StatusTooManyRequests
	case codes.Unimplemented:
		return http.StatusNotImplemented
	case codes.Unavailable:
		return http.StatusServiceUnavailable
	case codes.DeadlineExceeded:
		return http.StatusGatewayTimeout
	case codes.Canceled:
		return 499 // Google's number for a client that has gone
	}
	return http.StatusInternalServerError
}

// statusName is the code as google.rpc.Status writes it: INVALID_ARGUMENT.
func statusName(code codes.Code) string {
	var name strings.Builder
	for i, letter := range code.String() {
		if i > 0 && letter >= 'A' && letter <= 'Z' {
			name.WriteByte('_')
		}
		name.WriteRune(letter)
	}
	return strings.ToUpper(name.String())
}

// The pages of lists.
const (
	defaultItems = 500
	maxItems     = 1_000
)

// listPage cuts one page out of a list of n items: [from, to) and the token of what is left.
func (r restCall) listPage(n int) (from, to int, token string, failure *failure) {
	size, err := pageSize(r.request.URL.Query().Get("pageSize"))
	if err != nil {
		return 0, 0, "", failed(codes.InvalidArgument, "%v", err)
	}
	at, failure := begin(r.request.URL.Query().Get("pageToken"), hashOf(r.request.URL.Path), r.now)
	if failure != nil {
		return 0, 0, "", failure
	}
	if r.request.URL.Query().Get("filter") != "" || r.request.URL.Query().Get("orderBy") != "" {
		return 0, 0, "", failed(codes.Unimplemented, "filter and orderBy are not part of the emulator")
	}
	from = min(at.Item, n)
	if r.hit(faults.EmptyPage) {
		return from, from, at.token(), nil
	}
	to = min(from+size, n)
	if to < n {
		at.Item = to
		token = at.token()
	}
	return from, to, token, nil
}

func pageSize(text string) (int, error) {
	if text == "" {
		return defaultItems, nil
	}
	size, err := strconv.Atoi(text)
	if err != nil || size < 0 {
		return 0, errors.New("page_size must be a whole number of at least 0")
	}
	if size == 0 {
		return defaultItems, nil
	}
	return min(size, maxItems), nil
}
