package azurefiles

import "testing"

func TestResponsesLoseTheirPrefix(t *testing.T) {
	words := newVocabulary(nil)
	for word, want := range map[string]string{
		"Success":                                  "Success",
		"KerberosSuccess":                          "Success",
		"kerberossuccesswiththrottling":            "SuccessWithThrottling",
		"SuccessWithShareIopsThrottling":           "SuccessWithShareIopsThrottling",
		"KerberosSuccessWithShareEgressThrottling": "SuccessWithShareEgressThrottling",
		"ClientShareIopsThrottlingError":           "ClientShareIopsThrottlingError",
		"ClientThrottlingError":                    "ClientThrottlingError",
		"SuccessWithMetadataThrottling":            "SuccessWithMetadataThrottling",
	} {
		if got, known := words.response(word); got != want || !known {
			t.Errorf("%s is %s, %t; want %s", word, got, known, want)
		}
	}
	for _, name := range responses() {
		if got, known := words.response("Kerberos" + name); got != name || !known {
			t.Errorf("Kerberos%s is %s", name, got)
		}
	}
}

// What is new may be a new kind of throttling: its name stays, so that detectors find the word in it.
func TestUnknownResponsesStay(t *testing.T) {
	words := newVocabulary(nil)
	for word, want := range map[string]string{
		"SuccessWithShareTenantThrottling":         "SuccessWithShareTenantThrottling",
		"KerberosSuccessWithShareTenantThrottling": "SuccessWithShareTenantThrottling",
		"no word at all":                           "other",
	} {
		if got, known := words.response(word); got != want || known {
			t.Errorf("%s is %s, %t; want %s", word, got, known, want)
		}
	}
}

func TestUnknownOperationsAreOther(t *testing.T) {
	words := newVocabulary([]string{"Nfs3Read"})
	for word, want := range map[string]string{
		"Read": "Read", "read": "Read", "QUERYDIRECTORY": "QueryDirectory", "Unknown": "Unknown", "nfs3read": "Nfs3Read",
		"Nfs3Write": "other", "": "other",
	} {
		if got, known := words.api(word); got != want || known != (want != "other") {
			t.Errorf("%q is %s, %t; want %s", word, got, known, want)
		}
	}
}
