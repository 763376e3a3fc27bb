package promapi

import (
	"net/http"
	"net/url"
	"runtime"
	"strconv"

	"github.com/nasight/nasight/schema"
)

// engineVersion is the Prometheus whose engine and API this is: Grafana decides by it what it may ask for.
const engineVersion = "3.16.0"

func buildInfo(*http.Request) (answer, error) {
	return answer{data: map[string]string{
		"version": engineVersion, "revision": "nasight", "branch": "", "buildUser": "", "buildDate": "",
		"goVersion": runtime.Version(),
	}}, nil
}

type familyData struct {
	Type string `json:"type"`
	Help string `json:"help"`
	Unit string `json:"unit"`
}

// metadata tells what the schema says of each family, or of the one that the request names.
func metadata(r *http.Request) (answer, error) {
	limit, err := metadataLimit(r.Form)
	if err != nil {
		return answer{}, err
	}
	wanted := r.Form.Get("metric")
	found := make(map[string][]familyData)
	for _, family := range schema.All() {
		if wanted != "" && family.Name != wanted {
			continue
		}
		if limit >= 0 && len(found) >= limit {
			break
		}
		found[family.Name] = []familyData{{Type: typeOf(family.Type), Help: family.Help, Unit: string(family.Unit)}}
	}
	return answer{data: found}, nil
}

// metadataLimit reads the limit on families: here, unlike elsewhere, below 0 means none, and 0 asks for nothing.
func metadataLimit(form url.Values) (int, error) {
	text := form.Get("limit")
	if text == "" {
		return -1, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil {
		return 0, badData("limit must be a number")
	}
	return limit, nil
}

// typeOf names a type as the exposition does, where an info family is a gauge.
func typeOf(t schema.Type) string {
	if t == schema.Counter {
		return "counter"
	}
	return "gauge"
}
