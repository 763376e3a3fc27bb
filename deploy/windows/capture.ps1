<#
.SYNOPSIS
Records what Windows knows of its SMB client, for nasight check.

.DESCRIPTION
Takes a few moments, some seconds apart, of the SMB client: connections, channels, settings, interfaces, receive-side
scaling, and the counters of shares, interfaces and processors. It writes a directory and, where tar.exe is there (Windows
10 1803, Windows Server 2019 and later), packs it into a .tar.gz beside it. Nothing is installed and nothing is changed.

Take it while the load runs. Get-SmbConnection and Get-SmbMultichannelConnection need an administrator on most systems;
without one the rest is recorded, and what was refused is noted in errors.json of each moment.

Works in Windows PowerShell 5.1 and in PowerShell 7.

.PARAMETER Out
The directory to write, made if it is missing. The default is nasight-COMPUTER-TIME in the current directory.

.PARAMETER Moments
How many moments are taken: 1 to 100. Rates need two.

.PARAMETER Interval
Seconds from the start of one moment to the start of the next: 1 to 3600.

.EXAMPLE
.\capture.ps1

.EXAMPLE
powershell.exe -ExecutionPolicy Bypass -File capture.ps1 -Out C:\Temp\client -Moments 3 -Interval 10

.EXAMPLE
.\capture.ps1 -Out \\server\recordings\%COMPUTERNAME% -Moments 1
For a scheduled task: nasight serve reads the directory above it (windows.directory).
#>
[CmdletBinding()]
param(
    [string] $Out = '',
    [ValidateRange(1, 100)] [int] $Moments = 3,
    [ValidateRange(1, 3600)] [int] $Interval = 5
)

Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

$utf8 = New-Object System.Text.UTF8Encoding -ArgumentList $false
$invariant = [System.Globalization.CultureInfo]::InvariantCulture

function Write-Text([string] $Path, [string] $Text) {
    # Beside the file and then in its place, so that a reader never sees half of it.
    [System.IO.File]::WriteAllText("$Path.new", $Text, $utf8)
    Move-Item -LiteralPath "$Path.new" -Destination $Path -Force
}

function ConvertTo-Rows($Objects, [string[]] $Properties) {
    # Always an array, also of one object or none: ConvertTo-Json unwraps what comes by the pipeline.
    $rows = @()
    foreach ($object in @($Objects)) {
        if ($null -eq $object) { continue }
        $row = New-Object System.Collections.Specialized.OrderedDictionary
        foreach ($name in $Properties) {
            $property = $object.PSObject.Properties[$name]
            if ($null -ne $property -and $null -ne $property.Value) {
                $value = $property.Value
                if ($value -is [System.Enum]) { $value = $value.ToString() }
                $row[$name] = $value
            }
        }
        $rows += , $row
    }
    if ($rows.Count -eq 0) { return '[]' }
    $texts = @()
    foreach ($row in $rows) { $texts += (ConvertTo-Json -InputObject $row -Depth 3 -Compress) }
    return '[' + ($texts -join ",`n") + ']'
}

# Functions of modules do not see this script's preference: every question says itself that its errors stop it. One that
# went on would be recorded as "there are none".
function Get-Raw([string] $Class) {
    return Get-CimInstance -Namespace 'root\cimv2' -ClassName $Class -ErrorAction Stop
}

function Get-ShareCounters {
    # The class is missing where the counters were never registered with WMI; Get-Counter then has their raw values.
    try {
        return @{ Name = 'SmbClientShares'; Objects = @(Get-Raw 'Win32_PerfRawData_Counters_SMBClientShares'); Properties = $shareProperties }
    } catch {
        $sets = @(Get-Counter -Counter '\SMB Client Shares(*)\*' -ErrorAction Stop)
        $samples = @()
        foreach ($set in $sets) { $samples += $set.CounterSamples }
        return @{ Name = 'SmbClientShareSamples'; Objects = $samples; Properties = @('Path', 'InstanceName', 'RawValue', 'CookedValue') }
    }
}

$shareProperties = @('Name', 'ReadBytesPersec', 'WriteBytesPersec', 'ReadRequestsPersec', 'WriteRequestsPersec',
    'MetadataRequestsPersec', 'DataBytesPersec', 'DataRequestsPersec', 'AvgReadQueueLength', 'AvgWriteQueueLength',
    'AvgDataQueueLength', 'CreditStallsPersec', 'CurrentDataQueueLength', 'Timestamp_PerfTime', 'Frequency_PerfTime',
    'Timestamp_Sys100NS')

$questions = @(
    @{ Name = 'NetworkInterface'
       Ask = { Get-Raw 'Win32_PerfRawData_Tcpip_NetworkInterface' }
       Properties = @('Name', 'BytesReceivedPersec', 'BytesSentPersec', 'CurrentBandwidth', 'OutputQueueLength', 'PacketsReceivedDiscarded', 'PacketsOutboundDiscarded') },
    @{ Name = 'Processor'
       Ask = { Get-Raw 'Win32_PerfRawData_PerfOS_Processor' }
       Properties = @('Name', 'PercentProcessorTime', 'PercentUserTime', 'PercentPrivilegedTime', 'PercentDPCTime', 'PercentInterruptTime') },
    @{ Name = 'SmbMultichannelConnection'
       Ask = { Get-SmbMultichannelConnection -ErrorAction Stop }
       Properties = @('ServerName', 'Selected', 'ClientIpAddress', 'ServerIpAddress', 'ClientInterfaceIndex', 'ServerInterfaceIndex',
           'ClientInterfaceFriendlyName', 'ClientRSSCapable', 'ServerRSSCapable', 'ClientRdmaCapable', 'ServerRdmaCapable', 'ClientLinkSpeed',
           'ServerLinkSpeed', 'MaxChannels', 'CurrentChannels', 'Failed', 'FailureCount', 'TcpConnectionCount', 'RdmaConnectionCount',
           'QuicConnectionCount') },
    @{ Name = 'SmbConnection'
       Ask = { Get-SmbConnection -ErrorAction Stop }
       Properties = @('ServerName', 'ShareName', 'Dialect', 'NumOpens', 'Encrypted', 'Signed', 'ContinuouslyAvailable') },
    @{ Name = 'SmbClientConfiguration'
       Ask = { Get-SmbClientConfiguration -ErrorAction Stop }
       Properties = @('EnableMultiChannel', 'ConnectionCountPerRssNetworkInterface', 'MaximumConnectionCountPerServer',
           'EnableBandwidthThrottling', 'EnableLargeMtu', 'MaxCmds', 'SessionTimeout', 'DirectoryCacheLifetime', 'FileInfoCacheLifetime',
           'FileNotFoundCacheLifetime', 'WindowSizeThreshold') },
    @{ Name = 'SmbClientNetworkInterface'
       Ask = { Get-SmbClientNetworkInterface -ErrorAction Stop }
       Properties = @('FriendlyName', 'InterfaceIndex', 'RssCapable', 'RdmaCapable', 'LinkSpeed') },
    @{ Name = 'SmbMapping'
       Ask = { Get-SmbMapping -ErrorAction Stop }
       Properties = @('LocalPath', 'RemotePath') },
    @{ Name = 'NetAdapterRss'
       Ask = { Get-NetAdapterRss -ErrorAction Stop }
       Properties = @('Name', 'InterfaceDescription', 'Enabled', 'NumberOfReceiveQueues', 'MaxProcessors') }
)

function Get-Reason($Failure) {
    $text = ($Failure.Exception.Message -split "`r?`n")[0]
    $category = $Failure.CategoryInfo.Category.ToString()
    if ($category -eq 'PermissionDenied' -or $category -eq 'SecurityError' -or $Failure.Exception -is [System.UnauthorizedAccessException]) {
        return "permission: $text"
    }
    return "other: $text"
}

function Save-Moment([string] $Directory) {
    $answers = Join-Path $Directory 'windows'
    foreach ($name in @('SmbClientShares', 'SmbClientShareSamples') + @($questions | ForEach-Object { $_.Name })) {
        $old = Join-Path $answers "$name.json"
        if (Test-Path -LiteralPath $old) { Remove-Item -LiteralPath $old }
    }
    New-Item -ItemType Directory -Path $answers -Force | Out-Null
    $failed = New-Object System.Collections.Specialized.OrderedDictionary
    # The counters are first, and the moment's time is theirs: rates are taken between them.
    $time = [System.DateTime]::UtcNow
    $ticks = [System.Diagnostics.Stopwatch]::GetTimestamp() / [double] [System.Diagnostics.Stopwatch]::Frequency
    try {
        $shares = Get-ShareCounters
        Write-Text (Join-Path $answers ($shares.Name + '.json')) (ConvertTo-Rows $shares.Objects $shares.Properties)
    } catch {
        $failed['/windows/SmbClientShares.json'] = Get-Reason $_
    }
    foreach ($question in $questions) {
        $file = $question.Name + '.json'
        try {
            Write-Text (Join-Path $answers $file) (ConvertTo-Rows @(& $question.Ask) $question.Properties)
        } catch {
            $failed["/windows/$file"] = Get-Reason $_
            Write-Warning ("{0}: {1}" -f $question.Name, $failed["/windows/$file"])
        }
    }
    $errorsFile = Join-Path $Directory 'errors.json'
    if ($failed.Count -gt 0) {
        Write-Text $errorsFile (ConvertTo-Json -InputObject $failed)
    } elseif (Test-Path -LiteralPath $errorsFile) {
        Remove-Item -LiteralPath $errorsFile
    }
    return New-Object PSObject -Property @{ Time = $time; Monotonic = $ticks }
}

if ($Out -eq '') {
    $Out = Join-Path (Get-Location).ProviderPath ('nasight-{0}-{1}' -f $env:COMPUTERNAME, [System.DateTime]::Now.ToString('yyyyMMdd-HHmmss', $invariant))
}
$Out = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath([System.Environment]::ExpandEnvironmentVariables($Out))
New-Item -ItemType Directory -Path $Out -Force | Out-Null

$taken = @()
$clock = [System.Diagnostics.Stopwatch]::StartNew()
for ($i = 0; $i -lt $Moments; $i++) {
    $left = $i * $Interval * 1000 - $clock.ElapsedMilliseconds
    if ($left -gt 0) { Start-Sleep -Milliseconds $left }
    Write-Progress -Activity 'nasight' -Status ('moment {0} of {1}' -f ($i + 1), $Moments)
    $moment = Save-Moment (Join-Path $Out "t$i")
    $taken += (ConvertTo-Json -Compress -InputObject @{
        name      = "t$i"
        time      = $moment.Time.ToString("yyyy-MM-dd'T'HH:mm:ss.fffffff'Z'", $invariant)
        monotonic = $moment.Monotonic
    })
}
Write-Progress -Activity 'nasight' -Completed

$version = [System.Environment]::OSVersion.Version.ToString()
try { $version = (Get-CimInstance -ClassName Win32_OperatingSystem -ErrorAction Stop).Version } catch { Write-Verbose 'the version is that of the process' }
$head = ConvertTo-Json -Compress -InputObject @{ tool = 'nasight capture.ps1'; host = $env:COMPUTERNAME; kernel = "Windows $version" }
Write-Text (Join-Path $Out 'bundle.json') ($head.TrimEnd('}') + ',"moments":[' + ($taken -join ',') + ']}')
Write-Output "wrote $Out"

if (Get-Command tar.exe -ErrorAction SilentlyContinue) {
    & tar.exe -czf "$Out.tar.gz" -C "$Out" .
    if ($LASTEXITCODE -eq 0) { Write-Output "wrote $Out.tar.gz" } else { Write-Warning 'tar.exe could not pack it; the directory is a bundle as it is' }
}
