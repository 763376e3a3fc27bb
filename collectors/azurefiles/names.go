package azurefiles

import (
	"slices"
	"strings"
)

// The labels of everything that this package reads.
const (
	Cloud   = "azure"
	Service = "azurefiles"
)

// other is the operation of all names that are not known.
const other = "other"

// apiNames are the names of operations of SMB and REST. What NFS calls its own is in no document that we know: the
// configuration may name them.
func apiNames() []string {
	return strings.Fields(`
Read Write Create Open Close Delete Flush QueryDirectory QueryInfo QueryFilesystemInfo SetInfo ChangeNotify Lock Ioctl OplockBreak Cancel Echo
Negotiate SessionSetup Logoff TreeConnect TreeDisconnect DirectoryOpen DirectoryClose FileOpen FileClose
GetFile PutRange PutRangeFromURL ClearRange CreateFile CreateDirectory DeleteFile DeleteDirectory CopyFile AbortCopyFile
ListFiles ListHandles ListFileRanges CloseHandles GetFileProperties SetFileProperties GetFileMetadata SetFileMetadata
GetDirectoryProperties SetDirectoryProperties GetDirectoryMetadata SetDirectoryMetadata RenameFile RenameDirectory
AcquireFileLease ReleaseFileLease BreakFileLease ChangeFileLease GetFileCopyInformation
CreateShare DeleteShare ListShares GetShareProperties SetShareProperties GetShareMetadata SetShareMetadata GetShareAcl
SetShareAcl GetShareStats SnapshotShare RestoreShare AcquireShareLease ReleaseShareLease BreakShareLease ChangeShareLease
RenewShareLease CreatePermission GetPermission GetFileServiceProperties SetFileServiceProperties Unknown`)
}

// responses are the response types that are documented, and the two of metadata that public alert rules use.
func responses() []string {
	return strings.Fields(`
Success SuccessWithThrottling SuccessWithShareEgressThrottling SuccessWithShareIngressThrottling SuccessWithShareIopsThrottling
SuccessWithMetadataWarning SuccessWithMetadataThrottling
ClientShareEgressThrottlingError ClientShareIngressThrottlingError ClientShareIopsThrottlingError
ClientAccountBandwidthThrottlingError ClientAccountRequestThrottlingError ClientThrottlingError ClientTimeoutError
ClientOtherError AuthorizationError NetworkError ServerBusyError ServerTimeoutError ServerOtherError`)
}

// vocabulary turns the service's words into label values.
type vocabulary struct {
	apis      map[string]string // by the name in lower case
	responses []string          // the longest first
}

func newVocabulary(more []string) *vocabulary {
	v := &vocabulary{apis: map[string]string{}, responses: responses()}
	for _, name := range append(apiNames(), more...) {
		v.apis[strings.ToLower(name)] = name
	}
	slices.SortFunc(v.responses, func(a, b string) int { return len(b) - len(a) })
	return v
}

// api is the label value of an operation, and whether it is known.
func (v *vocabulary) api(name string) (string, bool) {
	if known, ok := v.apis[strings.ToLower(name)]; ok {
		return known, true
	}
	return other, false
}

// response is the label value of a response type, and whether it is known. A word before it, such as Kerberos, is cut
// off. A type that is not known stays what it is: it may be a new kind of throttling.
func (v *vocabulary) response(name string) (string, bool) {
	lower := strings.ToLower(name)
	for _, known := range v.responses {
		if strings.HasSuffix(lower, strings.ToLower(known)) {
			return known, true
		}
	}
	if !wordLike.MatchString(name) {
		return other, false
	}
	return strings.TrimPrefix(name, "Kerberos"), false
}
