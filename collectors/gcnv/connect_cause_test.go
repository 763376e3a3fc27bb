package gcnv

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"google.golang.org/api/googleapi"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/nasight/nasight/collectors/connect"
)

// informed is a refusal over gRPC that names its reason.
func informed(t *testing.T, reason string, metadata map[string]string) error {
	t.Helper()
	s, err := status.New(codes.PermissionDenied, "no").WithDetails(&errdetails.ErrorInfo{Reason: reason, Metadata: metadata})
	if err != nil {
		t.Fatal(err)
	}
	return s.Err()
}

func TestRefusal(t *testing.T) {
	wants := need{"netapp.volumes.list", netappService, netappRole}
	project, folder := target{projectTarget, "alpha"}, target{folderTarget, "12"}
	for name, row := range map[string]struct {
		on               target
		err              error
		cause, lacks, do string
	}{
		"permission": {project, status.Error(codes.PermissionDenied, "no"), reasonPermission, netappRole,
			"gcloud projects add-iam-policy-binding alpha --member=M --role=roles/netapp.viewer"},
		"of a folder": {folder, &googleapi.Error{Code: 403, Message: "no"}, reasonPermission, netappRole,
			"gcloud resource-manager folders add-iam-policy-binding 12 --member=M --role=roles/netapp.viewer"},
		"disabled": {project, informed(t, "SERVICE_DISABLED", map[string]string{"service": "netapp.googleapis.com", "consumer": "projects/77"}), causeDisabled,
			"the API netapp.googleapis.com", "gcloud services enable netapp.googleapis.com --project=77"},
		"disabled, odd names": {project, informed(t, "SERVICE_DISABLED", map[string]string{"service": "x; reboot", "consumer": "projects/$(reboot)"}), causeDisabled,
			"the API netapp.googleapis.com", "gcloud services enable netapp.googleapis.com --project=alpha"},
		"disabled, old style": {project, &googleapi.Error{Code: 403, Errors: []googleapi.ErrorItem{{Reason: "accessNotConfigured"}}}, causeDisabled,
			"the API netapp.googleapis.com", "gcloud services enable netapp.googleapis.com --project=alpha"},
		"disabled, of a folder": {folder, informed(t, "SERVICE_DISABLED", nil), causeDisabled,
			"the API netapp.googleapis.com", "gcloud services enable netapp.googleapis.com --project=PROJECT"},
		"billing":    {project, informed(t, "BILLING_DISABLED", nil), causeBilling, "", "gcloud billing projects link alpha --billing-account=ACCOUNT"},
		"quota":      {project, informed(t, "USER_PROJECT_DENIED", nil), causeQuota, consumerRole, "gcloud projects add-iam-policy-binding quota --member=M --role=roles/serviceusage.serviceUsageConsumer"},
		"scope":      {project, informed(t, "ACCESS_TOKEN_SCOPE_INSUFFICIENT", nil), causeScope, "", "scope"},
		"perimeter":  {project, informed(t, "SECURITY_POLICY_VIOLATED", nil), causePerimeter, "", "perimeter"},
		"no project": {project, &googleapi.Error{Code: 404, Message: "gone"}, reasonNotFound, "", "gcloud projects describe alpha"},
		"no folder":  {folder, &googleapi.Error{Code: 404}, reasonNotFound, "", "gcloud resource-manager folders describe 12"},
		"bad token":  {project, status.Error(codes.Unauthenticated, "no"), reasonAuthentication, "", "gcloud auth"},
		"timeout":    {project, context.DeadlineExceeded, reasonTimeout, "", "--timeout"},
		"nonsense":   {project, fmt.Errorf("%w: x", errInvalid), reasonInvalid, "", "gcnv.endpoints"},
		"unknown":    {project, errors.New("odd"), reasonOther, "", "see"},
	} {
		got := wants.refusal(row.on, row.err, "M", "quota")
		if got.Status != connect.Failed || got.Cause != row.cause || got.Lacks != row.lacks || !strings.Contains(got.Do, row.do) || got.Says == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Whatever a service says becomes one printable line of bounded length, and commands hold no words of it.
func FuzzCause(f *testing.F) {
	f.Add(403, "no", "SERVICE_DISABLED", "netapp.googleapis.com", "projects/1")
	f.Add(500, "a\nb\x00\u2028c", "", "; reboot", "projects/$(reboot)")
	f.Add(403, `{"error":{"message":7}}`, "x", "", "")
	f.Fuzz(func(t *testing.T, code int, message, reason, service, consumer string) {
		details := []any{7, map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "metadata": map[string]any{"service": service, "consumer": consumer, "n": 7}}}
		for _, err := range []error{
			&googleapi.Error{Code: code, Message: message, Details: details}, errors.New(message), status.Error(codes.Code(uint32(code)%16+1), message),
			fmt.Errorf("impersonate: status code %03d: %s", uint32(code)%1000, message),
		} {
			got := need{"p", netappService, netappRole}.refusal(target{projectTarget, "alpha"}, err, "M", "")
			for _, text := range []string{got.Heard, got.Do, got.Lacks} {
				if len(text) > 12*240 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("%q", text)
				}
			}
			if strings.ContainsAny(got.Do+got.Lacks, ";$`|&\"") {
				t.Errorf("%q, %q", got.Do, got.Lacks)
			}
		}
	})
}
