package promapi

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/golang/snappy"
)

// maxDecodedBytes is the most that a request may be when decompressed, as in the protocol library.
const maxDecodedBytes = 32 << 20

// expected is what every answer to a body that cannot be understood ends with.
const expected = "expected a Prometheus remote-write request: protobuf (prometheus.WriteRequest or io.prometheus.write.v2.Request), compressed with snappy in its block format"

// decompress does what the protocol library does by default, and says what was expected where it does not get that.
func decompress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "snappy") {
			http.Error(w, fmt.Sprintf("content encoding %.40q is not taken: %s", encoding, expected), http.StatusUnsupportedMediaType)
			return
		}
		packed, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, fmt.Sprintf("read request: %v", err), http.StatusBadRequest)
			return
		}
		size, err := snappy.DecodedLen(packed)
		if err == nil && size > maxDecodedBytes {
			http.Error(w, fmt.Sprintf("request of %d bytes when decompressed exceeds the limit of %d: send smaller batches", size, maxDecodedBytes),
				http.StatusBadRequest)
			return
		}
		var body []byte
		if err == nil {
			body, err = snappy.Decode(nil, packed)
		}
		if err != nil {
			http.Error(w, fmt.Sprintf("body of %d bytes is not compressed with snappy: %s", len(packed), expected), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.Header.Del("Content-Encoding")
		next.ServeHTTP(w, r)
	})
}
