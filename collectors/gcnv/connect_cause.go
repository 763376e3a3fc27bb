package gcnv

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/api/googleapi"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/nasight/nasight/collectors/connect"
)

// The causes of a failure that a trial tells apart beside the reasons of failure.go. Google's answers name the first ones
// in an ErrorInfo, because the code alone is that of a missing role.
const (
	causeDisabled  = "service_disabled"
	causeBilling   = "billing_disabled"
	causeQuota     = "quota_project"
	causeScope     = "scope"
	causePerimeter = "perimeter"
)

// told is what an answer of Google says about why it refuses.
type told struct {
	cause    string
	service  string // API that the answer is about; empty where it names none
	consumer string // project id or number that the answer is about; empty where it names none
	said     string
}

// causeOf finds out why a request failed.
func causeOf(err error) told {
	err = unwrapImpersonation(err)
	reason, metadata := infoOf(err)
	t := told{cause: map[string]string{
		"SERVICE_DISABLED": causeDisabled, "accessNotConfigured": causeDisabled, "BILLING_DISABLED": causeBilling,
		"USER_PROJECT_DENIED": causeQuota, "ACCESS_TOKEN_SCOPE_INSUFFICIENT": causeScope,
		"SECURITY_POLICY_VIOLATED": causePerimeter, "CONSUMER_INVALID": reasonNotFound,
	}[reason], said: saidBy(err)}
	if t.cause == "" {
		t.cause = reasonOf(err)
	}
	// Both are put into commands: what is no name is left out.
	if service := metadata["service"]; serviceName.MatchString(service) {
		t.service = service
	}
	if id, ok := strings.CutPrefix(metadata["consumer"], "projects/"); ok && projectID.MatchString(id) {
		t.consumer = id
	}
	return t
}

var (
	serviceName   = regexp.MustCompile(`^[a-z][a-z0-9.-]{0,100}\.googleapis\.com$`)
	impersonation = regexp.MustCompile(`(?s)impersonate: status code (\d{3}): (.*)$`)
)

// unwrapImpersonation gives the answer to a request for a service account's token: the client has it as text alone.
func unwrapImpersonation(err error) error {
	if err == nil {
		return nil
	}
	found := impersonation.FindStringSubmatch(err.Error())
	if found == nil {
		return err
	}
	code, _ := strconv.Atoi(found[1]) // three digits
	var body struct {
		Error struct {
			Message string `json:"message"`
			Details []any  `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(found[2]), &body) != nil {
		body.Error.Message = found[2]
	}
	return &googleapi.Error{Code: code, Message: body.Error.Message, Details: body.Error.Details}
}

// infoOf is the reason that an answer names, and what it is about.
func infoOf(err error) (reason string, metadata map[string]string) {
	var web *googleapi.Error
	if errors.As(err, &web) {
		for _, detail := range web.Details {
			fields, ok := detail.(map[string]any)
			if kind, _ := fields["@type"].(string); !ok || !strings.HasSuffix(kind, "google.rpc.ErrorInfo") {
				continue
			}
			reason, _ = fields["reason"].(string)
			metadata = map[string]string{}
			about, _ := fields["metadata"].(map[string]any)
			for name, value := range about {
				metadata[name], _ = value.(string)
			}
			return reason, metadata
		}
		for _, item := range web.Errors {
			return item.Reason, nil
		}
		return "", nil
	}
	if s, ok := status.FromError(err); ok && s.Code() != codes.OK {
		for _, detail := range s.Details() {
			if info, ok := detail.(*errdetails.ErrorInfo); ok {
				return info.GetReason(), info.GetMetadata()
			}
		}
	}
	return "", nil
}

// saidBy is what a service said, in one line.
func saidBy(err error) string {
	text := err.Error()
	var web *googleapi.Error
	switch s, ok := status.FromError(err); {
	case errors.As(err, &web):
		text = web.Message
	case ok:
		text = s.Message()
	}
	return connect.Said(text)
}

// need is what a check tries: a permission, the API that has it and the role that brings it.
type need struct {
	name string // of the permission
	api  string
	role string
}

// The needs of the collector.
const (
	monitoringService = "monitoring.googleapis.com"
	netappService     = "netapp.googleapis.com"
	resourcesService  = "cloudresourcemanager.googleapis.com"
	tokensService     = "iamcredentials.googleapis.com"

	monitoringRole = "roles/monitoring.viewer"
	netappRole     = "roles/netapp.viewer"
	browserRole    = "roles/browser"
	tokenRole      = "roles/iam.serviceAccountTokenCreator"
	consumerRole   = "roles/serviceusage.serviceUsageConsumer"
)

// target is the resource that a need is tried on.
type target struct {
	kind string // project, folder or service account
	id   string
}

func (t target) String() string { return t.kind + " " + t.id }

// grant is the command that gives a role on the target.
func (t target) grant(member, role string) string {
	switch t.kind {
	case folderTarget:
		return fmt.Sprintf("gcloud resource-manager folders add-iam-policy-binding %s --member=%s --role=%s", t.id, member, role)
	case accountTarget:
		return fmt.Sprintf("gcloud iam service-accounts add-iam-policy-binding %s --member=%s --role=%s", t.id, member, role)
	}
	return fmt.Sprintf("gcloud projects add-iam-policy-binding %s --member=%s --role=%s", t.id, member, role)
}

const (
	projectTarget = "project"
	folderTarget  = "folder"
	accountTarget = "service account"
)

// refusal is the check of a need that failed: what is wrong, what lacks, what to do.
func (n need) refusal(on target, err error, member, quotaProject string) connect.Check {
	t := causeOf(err)
	check := connect.Check{Name: n.name, On: on.String(), Status: connect.Failed, Cause: t.cause, Heard: t.said}
	service, project := n.api, on.id
	if t.service != "" {
		service = t.service
	}
	if t.consumer != "" {
		project = t.consumer
	} else if on.kind != projectTarget {
		project = "PROJECT"
	}
	switch t.cause {
	case reasonPermission:
		check.Says, check.Lacks, check.Do = "permission denied", n.role, on.grant(member, n.role)
	case causeDisabled:
		check.Says, check.Lacks = "the API is not enabled", "the API "+service
		check.Do = fmt.Sprintf("gcloud services enable %s --project=%s", service, project)
	case causeBilling:
		check.Says, check.Do = "the project has no billing", fmt.Sprintf("gcloud billing projects link %s --billing-account=ACCOUNT", project)
	case causeQuota:
		if quotaProject != "" {
			project = quotaProject
		}
		check.Says, check.Lacks = "requests may not be accounted to project "+project, consumerRole
		check.Do = target{projectTarget, project}.grant(member, consumerRole)
	case reasonNotFound:
		check.Says, check.Do = "there is no such thing, or it may not be seen", on.describe()
	default:
		check.Says, check.Do = hint(t.cause)
	}
	return check
}

// describe is the command that shows whether the target exists.
func (t target) describe() string {
	switch t.kind {
	case folderTarget:
		return "gcloud resource-manager folders describe " + t.id
	case accountTarget:
		return "gcloud iam service-accounts describe " + t.id
	}
	return "gcloud projects describe " + t.id
}

// hint is what is wrong, and what to do, where no role and no API lacks.
func hint(cause string) (says, do string) {
	switch cause {
	case reasonAuthentication:
		return "the credentials are not accepted", "gcloud auth application-default login, or see what GOOGLE_APPLICATION_CREDENTIALS names"
	case causeScope:
		return "the token's scopes do not allow it", "give the machine the scope cloud-platform: gcloud compute instances set-service-account INSTANCE --scopes=cloud-platform"
	case causePerimeter:
		return "a VPC Service Controls perimeter forbids it", "run nasight inside the perimeter, or add an ingress rule: gcloud access-context-manager perimeters list"
	case reasonRateLimited:
		return "the service takes no more requests now", "try again later, with a lower gcnv.pacing.calls_per_second"
	case reasonUnavailable:
		return "the service could not be reached", "look at DNS, proxy, firewall and gcnv.endpoints, and try again"
	case reasonTimeout:
		return "no answer in time", "look at DNS, proxy and firewall, or give more --timeout"
	case reasonInvalid:
		return "the answer makes no sense", "look at gcnv.endpoints: is this the API?"
	}
	return "the request failed", "see what it said"
}
