package gcnv

import "strings"

// key names a resource within a project: names are unique per location only.
type key struct{ location, name string }

// The labels of everything that this package reads.
const (
	Cloud   = "gcp"
	Service = "gcnv"
)

// segment is the part of a resource name that follows a collection, as X in projects/P/locations/X/volumes/V.
func segment(name, collection string) string {
	parts := strings.Split(name, "/")
	for i := 0; i+1 < len(parts); i += 2 {
		if parts[i] == collection {
			return parts[i+1]
		}
	}
	return ""
}

func lastOf(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// keyOf finds the location and the name of a resource of a collection.
func keyOf(name, collection string) (key, bool) {
	k := key{location: segment(name, "locations"), name: segment(name, collection)}
	return k, k.location != "" && k.name != ""
}

// word turns a name of an enumeration into a label value: in lower case, and empty where the API says unspecified. A name
// that a later API brings stays readable.
func word(enum string) string {
	enum = strings.ToLower(enum)
	if strings.HasSuffix(enum, "_unspecified") {
		return ""
	}
	return enum
}

// regionOf is the region of a zone, as us-central1 of us-central1-a; a region is its own.
func regionOf(location string) string {
	if i := strings.LastIndexByte(location, '-'); i > 0 && len(location)-i == 2 {
		return location[:i]
	}
	return location
}
