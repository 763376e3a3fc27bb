package alerting

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

// An Alertmanager that is away for an hour costs two lines, and what the managers say of themselves none.
func TestAnOutageIsToldOnce(t *testing.T) {
	var log strings.Builder
	handler := slog.NewTextHandler(&log, nil)
	managers, told := slog.New(quiet{handler}), newTeller(slog.New(handler))
	request := func(address string) *http.Request {
		made, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	one, other := request("http://me:secret@one.example.com/"), request("http://other.example.com/")
	managers.Info("Starting rule manager...")
	for range 60 {
		told.note(one, nil, errors.New("connection refused"))
		told.note(other, &http.Response{StatusCode: http.StatusOK}, nil)
		managers.With("alertmanager", "x").Error("Error sending alerts", "count", 1)
	}
	told.note(one, &http.Response{StatusCode: http.StatusServiceUnavailable}, nil)
	told.note(one, &http.Response{StatusCode: http.StatusOK}, nil)
	told.note(other, &http.Response{StatusCode: http.StatusBadRequest}, nil)
	told.note(request("http://third.example.com/"), &http.Response{StatusCode: http.StatusUnauthorized}, nil)
	managers.Error("Evaluating rule failed")
	text := log.String()
	for _, want := range []string{"cannot be told of alerts", "takes alerts again", "other.example.com/ status=400", "look at basic_auth and bearer_token_file of this one", "Evaluating rule failed"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is not there once", want)
		}
	}
	if strings.Count(text, "\n") != 5 || strings.Contains(text, "secret") {
		t.Errorf("logged %s", text)
	}
}
