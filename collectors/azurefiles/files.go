package azurefiles

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/storage/armstorage/v2"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// accountReader reads file services.
type accountReader struct {
	shares   *armstorage.FileSharesClient
	services *armstorage.FileServicesClient
	now      time.Time
}

// readAccount renews what is known of an account's file service. Without its shares what was known before stays.
func (s *Source) readAccount(ctx context.Context, reader accountReader, sub *subscription, a *account) error {
	sub.mu.Lock()
	d, before := a.details, a.files
	sub.mu.Unlock()
	files, odd, err := reader.read(ctx, d)
	if azureapi.Paced(err) {
		return err
	}
	if odd > 0 {
		sub.note(inventoryName, map[string]int{oddItem: odd})
	}
	if files == nil {
		files = before
	}
	wanted := s.wants(sub.id, d, files)
	sub.mu.Lock()
	defer sub.mu.Unlock()
	a.files, a.wanted, a.asked, a.unknown = files, wanted, reader.now, false
	return err
}

// wants says whether an account or one of its shares is wanted.
func (s *Source) wants(subscription string, d *details, files *fileConfig) bool {
	if files == nil {
		return false
	}
	for name := range files.shares {
		if s.wanted.share(subscription, d.name, name) {
			return true
		}
	}
	return false
}

// read asks for all of an account's file service. nil stands for one whose shares could not be read.
func (r accountReader) read(ctx context.Context, d *details) (files *fileConfig, odd int, err error) {
	if files, odd, err = r.list(ctx, d); err != nil {
		return nil, odd, err
	}
	return files, odd, azureapi.Join(r.readMultichannel(ctx, d, files), r.readLimits(ctx, d, files))
}

// list asks for the shares alone.
func (r accountReader) list(ctx context.Context, d *details) (files *fileConfig, odd int, err error) {
	files = &fileConfig{shares: map[string]*share{}, deleted: map[string]*share{}, at: r.now}
	expand := deletedAndActive
	pager := r.shares.NewListPager(d.group, d.name, &armstorage.FileSharesClientListOptions{Expand: &expand})
	for pages := 0; pager.More(); pages++ {
		if pages == mostPages {
			return nil, odd, fmt.Errorf("list the shares of %s: more than %d pages", d.name, mostPages)
		}
		page, err := pager.NextPage(ctx)
		if err != nil {
			return nil, odd, fmt.Errorf("list the shares of %s: %w", d.name, err)
		}
		for _, item := range page.Value {
			if files.add(item, r.now) {
				odd++
			}
		}
	}
	return files, odd, nil
}

// readMultichannel tells a setting that was never made, null, from one that could not be read, which is empty.
func (r accountReader) readMultichannel(ctx context.Context, d *details, files *fileConfig) error {
	answer, err := r.services.GetServiceProperties(ctx, d.group, d.name, nil)
	if err != nil {
		return fmt.Errorf("file service of %s: %w", d.name, err)
	}
	files.multichannel = "null"
	p := answer.FileServiceProperties.FileServiceProperties
	if p == nil || p.ProtocolSettings == nil || p.ProtocolSettings.Smb == nil || p.ProtocolSettings.Smb.Multichannel == nil {
		return nil
	}
	if enabled := p.ProtocolSettings.Smb.Multichannel.Enabled; enabled != nil {
		files.multichannel = strconv.FormatBool(*enabled)
	}
	return nil
}

// readLimits asks for the limits of the account. Accounts that are paid by use have none: the service refuses to tell.
func (r accountReader) readLimits(ctx context.Context, d *details, files *fileConfig) error {
	if !d.class.split() {
		return nil
	}
	answer, err := r.services.GetServiceUsage(ctx, d.group, d.name, nil)
	if status := azureapi.StatusOf(err); d.class.billing == provisionedV1 && (status == http.StatusBadRequest || status == http.StatusNotFound || status == http.StatusConflict) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("usages of %s: %w", d.name, err)
	}
	if answer.Properties != nil {
		files.limits = answer.Properties.StorageAccountLimits
	}
	return nil
}

// protocolOf is smb or nfs.
func protocolOf(p *armstorage.FileShareProperties) string {
	if p.EnabledProtocols == nil {
		return "smb" // the service's default
	}
	return strings.ToLower(string(*p.EnabledProtocols))
}
