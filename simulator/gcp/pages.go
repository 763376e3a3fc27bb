package gcp

import (
	"encoding/base64"
	"encoding/json"
	"hash/fnv"
	"time"

	"google.golang.org/grpc/codes"
)

// position is where the next page begins, and what it belongs to. Clients see it as an opaque token.
type position struct {
	Item    int    `json:"i"` // index of the item or series
	Point   int    `json:"p"` // points of the series that earlier pages had
	At      int64  `json:"t"` // time of the first page in ns: every page shows what was visible then
	Request uint64 `json:"r"` // hash of the request without its page
}

const (
	tokenLife = 24 * time.Hour
	maxToken  = 512
)

func (p position) token() string {
	data, err := json.Marshal(p)
	if err != nil {
		return "" // four numbers cannot fail
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

// begin is the position of a token, or the start of a listing without one.
func begin(token string, request uint64, now time.Time) (position, *failure) {
	start := position{At: now.UnixNano(), Request: request}
	if token == "" {
		return start, nil
	}
	refused := failed(codes.InvalidArgument, "Field pageToken had an invalid value: it is malformed, too old, or of another request.")
	if len(token) > maxToken {
		return start, refused
	}
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return start, refused
	}
	var p position
	if json.Unmarshal(data, &p) != nil || p.Item < 0 || p.Point < 0 || p.Request != request {
		return start, refused
	}
	if age := now.Sub(p.time()); age > tokenLife || age < -tokenLife {
		return start, refused
	}
	return p, nil
}

func (p position) time() time.Time { return time.Unix(0, p.At).UTC() }

func hashOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, part := range parts {
		_, _ = h.Write([]byte(part)) // a hash takes everything
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}
