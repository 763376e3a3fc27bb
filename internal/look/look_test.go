package look

import (
	"strings"
	"testing"
)

// A page's own rules come last, so that they win; the colours of both schemes are everybody's.
func TestStyle(t *testing.T) {
	style := Style("p { margin: 0; }\n")
	if !strings.HasSuffix(style, "}\np { margin: 0; }\n") {
		t.Errorf("the own rules are not last: %q", style[len(style)-60:])
	}
	for _, part := range []string{"color-scheme: light dark", "prefers-color-scheme: dark", "--critical"} {
		if !strings.Contains(style, part) {
			t.Errorf("no %q", part)
		}
	}
}
