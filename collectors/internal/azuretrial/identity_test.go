package azuretrial

import (
	"encoding/base64"
	"strings"
	"testing"
)

const (
	someClient = "00000000-0000-4000-8000-0000000000bb"
	someObject = "00000000-0000-4000-8000-0000000000cc"
)

// The claims of a token are names to print, where they are fit for it.
func TestPrincipal(t *testing.T) {
	jwt := func(claims string) string {
		return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2lnbg"
	}
	for token, want := range map[string]principal{
		jwt(`{"oid":"` + someObject + `","appid":"` + someClient + `"}`):                       {"application " + someClient, someObject},
		jwt(`{"oid":"` + someObject + `","appid":"` + someClient + `","upn":"a@example.com"}`): {"a@example.com", someObject},
		jwt(`{"appid":"` + someClient + `","unique_name":"a b; reboot"}`):                      {"application " + someClient, someClient},
		jwt(`{"oid":"$(reboot)","appid":"x"}`):                                                 {},
		jwt(`{"oid":7}`):                                                                       {}, jwt("no"): {}, "a.!.c": {}, "opaque": {}, "": {}, strings.Repeat("a.", mostToken): {},
	} {
		if got := principalOf(token); got != want {
			t.Errorf("%.80s: %+v, want %+v", token, got, want)
		}
	}
}
