package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/nasight/nasight/promread"
	"github.com/nasight/nasight/schema"
)

// noticeHeader carries the notice in every response, whatever its format. Who reads history over HTTP looks for it.
const noticeHeader = promread.NoticeHeader

// noted says the notice in the header of every response.
func (s *Server) noted(next http.Handler) http.Handler {
	if s.notice == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(noticeHeader, s.notice)
		next.ServeHTTP(w, r)
	})
}

// registerNotice puts it beside what the process tells of itself.
func (s *Server) registerNotice(registry prometheus.Registerer) error {
	if s.notice == "" {
		return nil
	}
	family := schema.Simulated
	one := func() float64 { return 1 }
	err := registry.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: family.Name, Help: family.Help}, one))
	if err != nil {
		return fmt.Errorf("register %s: %w", family.Name, err)
	}
	return nil
}

// withNotice puts a notice in front of the members of an object.
func withNotice(object []byte, notice string) ([]byte, error) {
	if len(object) < 2 || object[0] != '{' {
		return nil, errors.New("the answer is no object, which could carry the notice")
	}
	text, err := json.Marshal(notice)
	if err != nil {
		return nil, err
	}
	out := append([]byte(`{"notice":`), text...)
	if object[1] != '}' {
		out = append(out, ',')
	}
	return append(out, object[1:]...), nil
}
