package azurefiles

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
)

// The log service says what matters inside of other errors.
func TestNoTable(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`{"error":{"message":"The request had some invalid properties","code":"BadArgumentError","innererror":{"code":"SemanticError","message":"A semantic error occurred.",` +
			`"innererror":{"code":"SEM0100","message":"'where' operator: Failed to resolve table or column expression named 'StorageFileLogs'"}}}}`: true,
		`{"error":{"message":"The request had some invalid properties","code":"BadArgumentError","innererror":{"code":"SyntaxError","message":"Syntax Error"}}}`: false,
		`{}`: false,
	} {
		refusal := runtime.NewResponseError(&http.Response{
			StatusCode: http.StatusBadRequest, Body: io.NopCloser(strings.NewReader(body)),
			Request: &http.Request{Method: http.MethodPost, URL: &url.URL{Scheme: "https", Host: "example.com", Path: "/x"}},
		})
		if got := noTable(refusal); got != want {
			t.Errorf("%s: %t", body, got)
		}
	}
	if got := diagnose(&details{id: "/subscriptions/x/$(reboot)"}); !strings.HasSuffix(got, `"ID"`) {
		t.Error(got)
	}
}
