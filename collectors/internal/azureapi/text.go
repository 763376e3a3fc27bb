package azureapi

import "strings"

// Text is what a pointer to a text or an enumeration points to.
func Text[T ~string](p *T) string {
	if p == nil {
		return ""
	}
	return string(*p)
}

// PartOf is the part of a resource id that follows a word, as ACCOUNT of …/storageAccounts/ACCOUNT/….
func PartOf(id, word string) string {
	parts := strings.Split(id, "/")
	for i := 0; i+1 < len(parts); i++ {
		if strings.EqualFold(parts[i], word) {
			return parts[i+1]
		}
	}
	return ""
}

// RegionOf is a location as APIs name it: West Europe is westeurope.
func RegionOf(location string) string {
	return strings.ToLower(strings.ReplaceAll(location, " ", ""))
}
