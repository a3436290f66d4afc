package check

import (
	"testing"

	"rentgen/app/guide"
)

const (
	oursCurl = `curl -sSL -o /dev/null -w '%{http_code} %{size_download} %{speed_download} %{time_namelookup} %{time_connect} %{time_starttransfer} %{time_total}\n' --max-time 60 -r 0-104857599 https://files.example.org/f.bin`
	seedCurl = `curl -o /dev/null -w "%{time_total}" https://files.example.org/f.bin`
)

func TestCurl(t *testing.T) {
	runCases(t, guide.NetCurl, []netCase{
		{name: "fast", command: oursCurl, want: guide.Pass, out: "206 104857600 48902225 0.004112 0.011873 0.052114 2.144231\n", facts: `{"http_code":206,"size_bytes":104857600,"speed_mb_s":48.902,"time_connect_s":0.011873,"ttfb_s":0.052114,"time_total_s":2.144231,"redirect_only":false,"ttfb_dominates":false}`},
		{name: "fast, no command", want: guide.Pass, out: "200 104857600 48902225 0.004112 0.011873 0.052114 2.144231\n"},
		{name: "slow", command: oursCurl, want: guide.Warn, rule: "slow", out: "206 104857600 2902225 0.004112 0.011873 0.052114 36.144231\n", facts: `{"speed_mb_s":2.902}`},
		{name: "slow in the region", command: oursCurl, context: `{"same_region":true}`, want: guide.Warn, rule: "slow", out: "206 104857600 12902225 0.004112 0.011873 0.052114 8.144231\n"},
		{name: "redirect", command: `curl -o /dev/null -s -w "%{http_code} %{time_total}\n" https://hub.example/m`, want: guide.Warn, rule: "redirect", out: "302 0.350\n", facts: `{"http_code":302,"redirect_only":true,"size_bytes":null,"speed_mb_s":null}`},
		{name: "a page", command: oursCurl, want: guide.Warn, rule: "tiny", out: "200 4096 11900 0.004 0.061 0.350 0.350\n", facts: `{"size_bytes":4096}`},
		{name: "not there", command: oursCurl, want: guide.Warn, rule: "http-error", out: "404 153 911 0.004 0.061 0.150 0.150\n", facts: `{"http_code":404,"redirect_only":false}`},
		{name: "waits", command: oursCurl, want: guide.Warn, rule: "wait", out: "200 52428800 21902225 0.004 0.061 1.850 2.393\n", facts: `{"ttfb_s":1.85,"ttfb_dominates":true}`},
		{name: "waits a little", command: oursCurl, want: guide.Pass, out: "200 52428800 41902225 0.004 0.061 0.850 1.250\n", facts: `{"ttfb_dominates":false}`},
		{name: "time alone", command: seedCurl, want: guide.Warn, rule: "partial", out: "3.482113", facts: `{"time_total_s":3.482113,"size_bytes":null}`},
		{name: "time alone glued to the prompt", command: seedCurl, want: guide.Warn, rule: "partial", out: "3.482113root@h:~# ", facts: `{"time_total_s":3.482113}`},
		{name: "time behind the meter", command: seedCurl, want: guide.Warn, rule: "partial", out: "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n100  100M  100  100M    0     0  48.9M      0  0:00:02  0:00:02 --:--:-- 50.1M\n3.482113", facts: `{"time_total_s":3.482113}`},
		{name: "the meter alone", command: "curl -L -o f https://f.example/f", want: guide.Warn, rule: "partial", out: "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n100  100M  100  100M    0     0  48.9M      0  0:00:02  0:00:02 --:--:-- 50.1M\n", facts: `{"size_bytes":104857600,"speed_mb_s":51.275,"time_total_s":null}`},
		{name: "time behind a body", command: `curl -w "%{time_total}" https://a.example/`, want: guide.Warn, out: "<html><body>1.5 is no time</body></html>\n0.482113", facts: `{"time_total_s":0.482113}`},
		{name: "another order", command: `curl -sSL -o /dev/null -w "speed=%{speed_download} size=%{size_download} code=%{http_code} total=%{time_total}s\n" https://f.example/f`, want: guide.Pass, out: "speed=48902225 size=104857600 code=200 total=2.144231s\n", facts: `{"speed_mb_s":48.902,"time_total_s":2.144231}`},
		{name: "old curl, flags together", command: `curl -sSLo /dev/null --write-out '%{http_code}\t%{size_download}\t%{speed_download}\n' https://f.example/f`, want: guide.Pass, out: "200\t104857600\t48902225.000\n"},
		{name: "a comma", command: oursCurl, want: guide.Pass, out: "200 104857600 48902225,000 0,004 0,061 0,250 2,250\n", facts: `{"ttfb_s":0.25}`},
		{name: "two sources, one slow", command: oursCurl, want: guide.Warn, rule: "slow", out: "206 104857600 1902225 0.004112 0.011873 0.052114 2.144231\n206 104857600 48902225 0.004112 0.011873 0.052114 2.144231\n"},
		{name: "JSON", command: `curl -sSLo /dev/null -w '%{json}' https://f.example/f`, want: guide.Pass, out: `{"http_code":200,"size_download":104857600,"speed_download":48902225,"time_total":2.144231}`},
		{name: "dns", command: oursCurl, exit: 6, want: guide.Fail, rule: "dns", out: "curl: (6) Could not resolve host: huggingface.co\n000 0 0 0.000000 0.000000 0.000000 0.000812\n", facts: `{"error":"dns","time_total_s":null}`},
		{name: "dns through a pipe", command: oursCurl + " | tail -1", exit: 0, want: guide.Fail, rule: "dns", out: "curl: (6) Could not resolve host: huggingface.co\n000 0 0 0.000000 0.000000 0.000000 0.000812\n", facts: `{"error":"dns","time_total_s":null}`},
		{name: "refused", command: oursCurl, exit: 7, want: guide.Fail, rule: "connect", out: "curl: (7) Failed to connect to hub.example port 443 after 3 ms: Connection refused\n", facts: `{"error":"connect_failed","speed_mb_s":null}`},
		{name: "refused without a word", command: seedCurl, exit: 7, want: guide.Fail, out: "0.003112", facts: `{"time_total_s":null}`},
		{name: "tls", command: oursCurl, exit: 35, want: guide.Fail, rule: "tls", out: "curl: (35) OpenSSL SSL_connect: Connection reset by peer in connection to hub.example:443\n000 0 0 0.004 0.061 0.000000 0.250812\n", facts: `{"time_total_s":null}`},
		{name: "certificate", command: oursCurl, exit: 60, want: guide.Fail, rule: "tls", out: "curl: (60) SSL certificate problem: certificate has expired\nMore details here: https://curl.se/docs/sslcerts.html\n"},
		{name: "no connection in time", command: oursCurl, exit: 28, want: guide.Fail, rule: "timeout", out: "curl: (28) Failed to connect to hub.example port 443 after 130001 ms: Connection timed out\n000 0 0 0.004 0.000000 0.000000 130.001234\n", facts: `{"error":"timeout","time_total_s":null}`},
		{name: "not a byte", command: oursCurl, exit: 28, want: guide.Fail, rule: "timeout", out: "curl: (28) Operation timed out after 60001 milliseconds with 0 bytes received\n"},
		{name: "not a byte of so many", command: oursCurl, exit: 28, want: guide.Fail, out: "curl: (28) Operation timed out after 60001 milliseconds with 0 out of 0 bytes received\n"},
		{name: "resolving took too long", command: oursCurl, exit: 28, want: guide.Fail, out: "curl: (28) Resolving timed out after 5000 milliseconds\n", facts: `{"error":"timeout"}`},
		{name: "time out, nothing told", command: seedCurl, exit: 28, want: guide.Fail, out: "60.001234"},
		{name: "time out, some", command: oursCurl, exit: 28, want: guide.Warn, rule: "slow-timeout", out: "206 26840721 447345 0.004 0.061 0.350 60.000812\n", facts: `{"error":"timeout","size_bytes":26840721,"speed_mb_s":0.447,"time_total_s":null,"total_bytes":null}`},
		{name: "time out, some, told", command: oursCurl, exit: 28, want: guide.Warn, out: "curl: (28) Operation timed out after 60001 milliseconds with 26840721 out of 104857600 bytes received\n206 26840721 447345 0.004 0.061 0.350 60.000812\n", facts: `{"total_bytes":104857600,"speed_mb_s":0.447}`},
		{name: "time out with the meter", command: "curl --max-time 30 -o f -L https://f.example/f", exit: 28, want: guide.Warn, out: "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n\r  0 27.7M    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0\r 92 27.7M   92 25.5M    0     0   873k      0  0:00:32  0:00:29  0:00:03  873k\n", facts: `{"size_bytes":26738688,"error":"timeout"}`},
		{name: "empty reply", command: oursCurl, exit: 52, want: guide.Warn, out: "curl: (52) Empty reply from server\n"},
		{name: "no address", command: `curl -o /dev/null -w "%{time_total}"`, exit: 2, want: guide.Warn, rule: "no-url", out: "curl: (2) no URL specified\n0.000000"},
		{name: "not there 127", command: oursCurl, exit: 127, want: guide.Warn, rule: "no-curl", out: "bash: curl: command not found\n"},
		{name: "with -f", command: "curl -fsSL -o /dev/null https://f.example/f", exit: 22, want: guide.Warn, rule: "http-error", out: "curl: (22) The requested URL returned error: 404\n"},
		{name: "from Windows", command: `curl.exe -sSL -o NUL -w "%{http_code} %{size_download} %{speed_download} %{time_total}\n" https://f.example/f`, want: guide.Pass, out: "PS C:\\Users\\me> curl.exe -sSL\n200 104857600 48902225 2.144231\n", facts: `{"os":"windows"}`},
		{name: "PowerShell's own", command: "curl https://f.example/f", want: guide.Warn, rule: "powershell", out: "StatusCode        : 200\nStatusDescription : OK\n"},
		{name: "cut", command: oursCurl, want: guide.Warn, out: "206 104857600 4890"},
		{name: "empty", command: oursCurl, want: guide.Warn, rule: "unread"},
	})
}

// ownHF is the command that the guide runs.
const ownHF = "e=${HF_ENDPOINT:-https://huggingface.co}\necho \"connecting to $e\"\n" +
	"curl -sSL -I -o /dev/null -w '%{http_code} %{size_download} %{speed_download} %{time_namelookup} %{time_connect} %{time_starttransfer} %{time_total}\\n' --max-time 20 \"$e\"/x &&\n" +
	"curl -sSL -o /dev/null -w '%{http_code} %{size_download} %{speed_download} %{time_namelookup} %{time_connect} %{time_starttransfer} %{time_total}\\n' --max-time 60 -r 0-104857599 \"$e\"/x"

const mirrorSet = `{"hf_endpoint":"https://hf-mirror.com"}`

func TestHF(t *testing.T) {
	runCases(t, guide.NetHF, []netCase{
		{name: "head", command: "curl -sSIL https://huggingface.co/gpt2/resolve/main/config.json", want: guide.Pass, out: "HTTP/2 307\nlocation: /api/resolve-cache/x\n\nHTTP/2 200\ncontent-length: 665\n", facts: `{"host":"huggingface.co"}`},
		{name: "head of the mirror", command: "curl -sSIL https://hf-mirror.com/gpt2/resolve/main/config.json", context: mirrorSet, want: guide.Pass, out: "HTTP/2 200\n", facts: `{"host":"hf-mirror.com","mirror_ignored":false}`},
		{name: "range of the mirror", command: "curl -sSL -o /dev/null -w '%{http_code} %{size_download} %{speed_download} %{time_total} %{url_effective}\\n' -r 0-104857599 https://hf-mirror.com/a/b", context: mirrorSet, want: guide.Pass, out: "206 104857600 48902225 2.144231 https://cas-bridge.xethub.hf.co/x\n", facts: `{"mirror_ignored":false}`},
		{name: "head of the original past the mirror", command: "curl -sSIL https://huggingface.co/gpt2/resolve/main/config.json", context: mirrorSet, want: guide.Fail, rule: "mirror-ignored", out: "HTTP/2 200\n", facts: `{"host":"huggingface.co","mirror_ignored":true}`},
		{name: "mirror in the output", command: "echo $HF_ENDPOINT; python d.py", exit: 1, want: guide.Fail, rule: "mirror-ignored", out: "HF_ENDPOINT=https://hf-mirror.com\nrequests.exceptions.ConnectTimeout: HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded with url: /api/models/x (Caused by ConnectTimeoutError(<urllib3.connection.HTTPSConnection object at 0x7f>, 'Connection to huggingface.co timed out. (connect timeout=10)'))\n", facts: `{"host":"huggingface.co","error":"connect_timeout","mirror_ignored":true}`},
		{name: "stalls and resumes", command: "hf download a/b", context: mirrorSet, exit: 0, want: guide.Warn, rule: "stalls", out: "Error while downloading from https://cdn-lfs.hf-mirror.com/repos/x: HTTPSConnectionPool(host='cdn-lfs.hf-mirror.com', port=443): Read timed out.\nTrying to resume download...\n", facts: `{"host":"cdn-lfs.hf-mirror.com","error":"read_timeout","resuming":true,"mirror_ignored":false}`},
		{name: "stalls at the store of the original", command: "hf download a/b", exit: 0, want: guide.Warn, rule: "stalls", out: "Error while downloading from https://cdn-lfs.huggingface.co/x: HTTPSConnectionPool(host='cdn-lfs.huggingface.co', port=443): Read timed out.\nTrying to resume download...\nmodel.safetensors: 100%|██████████| 6.94G/6.94G\n", facts: `{"error":"read_timeout","resuming":true}`},
		{name: "read timeout", command: "python d.py", exit: 1, want: guide.Warn, rule: "stalls", out: "requests.exceptions.ReadTimeout: (ReadTimeoutError(\"HTTPSConnectionPool(host='hf-mirror.com', port=443): Read timed out. (read timeout=10)\"), '(Request ID: 0)')\n", facts: `{"host":"hf-mirror.com","error":"read_timeout","resuming":false}`},
		{name: "dns", command: "hf download a/b", exit: 1, want: guide.Fail, rule: "dns", out: "HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded with url: /x (Caused by NameResolutionError(\"<urllib3>: Failed to resolve 'huggingface.co' ([Errno -3] Temporary failure in name resolution)\"))\n", facts: `{"host":"huggingface.co"}`},
		{name: "refused", command: "hf download a/b", exit: 1, want: guide.Fail, rule: "refused", out: "HTTPSConnectionPool(host='hf.internal', port=443): Max retries exceeded (Caused by NewConnectionError('<x>: Failed to establish a new connection: [Errno 111] Connection refused'))\n", facts: `{"host":"hf.internal"}`},
		{name: "no net", command: "hf download a/b", exit: 1, want: guide.Fail, rule: "no-route", out: "HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded (Caused by NewConnectionError('<x>: Failed to establish a new connection: [Errno 101] Network is unreachable'))\n"},
		{name: "httpx", command: "hf download a/b", exit: 1, want: guide.Fail, rule: "connect-timeout", out: "httpx.ConnectTimeout: timed out\n", facts: `{"error":"connect_timeout"}`},
		{name: "tls", command: "hf download a/b", exit: 1, want: guide.Fail, rule: "tls", out: "requests.exceptions.SSLError: HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded with url: /x (Caused by SSLError(SSLEOFError(8, 'EOF occurred in violation of protocol')))\n"},
		{name: "transformers", command: "python d.py", exit: 1, want: guide.Fail, rule: "unreachable", out: "OSError: We couldn't connect to 'https://huggingface.co' to load the files, and couldn't find them in the cached files.\nCheck your internet connection or see how to run the library in offline mode at 'https://huggingface.co/docs/transformers/installation#offline-mode'.\n", facts: `{"host":"huggingface.co"}`},
		{name: "not in the cache", command: "python d.py", exit: 1, want: guide.Fail, rule: "unreachable", out: "huggingface_hub.errors.LocalEntryNotFoundError: An error happened while trying to locate the file on the Hub and we cannot find the requested files in the local cache. Please check your connection and try again or make sure your Internet connection is on.\n"},
		{name: "metadata through the mirror", command: "hf download a/b", context: mirrorSet, exit: 1, want: guide.Fail, rule: "metadata", out: "huggingface_hub.errors.FileMetadataError: Distant resource does not seem to be on huggingface.co. It is possible that a configuration issue prevents you from downloading resources from https://huggingface.co.\n", facts: `{"error":"file_metadata"}`},
		{name: "offline", command: "python d.py", exit: 1, want: guide.Skip, rule: "offline", out: "huggingface_hub.errors.OfflineModeIsEnabled: Cannot reach https://huggingface.co/api/models/x: offline mode is enabled. To disable it, please unset the `HF_HUB_OFFLINE` environment variable.\n"},
		{name: "local files only", command: "python d.py", exit: 1, want: guide.Skip, out: "Cannot find the requested files in the disk cache and outgoing traffic has been disabled. To enable hf.co look-ups and downloads online, set 'local_files_only' to False.\n"},
		{name: "offline by command", command: "HF_HUB_OFFLINE=1 python d.py", want: guide.Skip, out: "ok\n"},
		{name: "gated", command: "hf download a/b", exit: 1, want: guide.Warn, rule: "gated", out: "huggingface_hub.errors.GatedRepoError: 401 Client Error. Cannot access gated repo for url https://huggingface.co/black-forest-labs/FLUX.1-dev/resolve/main/x.\n"},
		{name: "mirror overloaded", command: "hf download a/b", context: mirrorSet, exit: 1, want: guide.Warn, rule: "http-error", out: "huggingface_hub.errors.HfHubHTTPError: 504 Server Error: Gateway Time-out for url: https://hf-mirror.com/api/models/x\n", facts: `{"host":"hf-mirror.com","mirror_ignored":false}`},
		{name: "no scheme", command: "hf download a/b", exit: 1, want: guide.Fail, rule: "no-scheme", out: "httpx.UnsupportedProtocol: Request URL is missing an 'http://' or 'https://' protocol.\n"},
		{name: "curl cannot resolve", command: "curl -sSI https://hf-mirror.com", exit: 6, context: mirrorSet, want: guide.Fail, rule: "dns", out: "curl: (6) Could not resolve host: hf-mirror.com\n", facts: `{"host":"hf-mirror.com","mirror_ignored":false}`},
		{name: "curl cannot connect", command: "curl -sSI https://huggingface.co", exit: 28, want: guide.Fail, rule: "connect-timeout", out: "curl: (28) Failed to connect to huggingface.co port 443 after 130001 ms: Connection timed out\n", facts: `{"host":"huggingface.co","error":"connect_timeout"}`},
		{name: "curl stalls", command: "curl -sSL -o /dev/null https://hf-mirror.com/x", exit: 28, want: guide.Warn, rule: "stalls", out: "curl: (28) Operation timed out after 30001 milliseconds with 2684072 out of 104857600 bytes received\n", facts: `{"error":"read_timeout"}`},
		{name: "curl hears nothing", command: "curl -sSL -o /dev/null https://hf-mirror.com/x", exit: 28, want: guide.Fail, rule: "silent", out: "curl: (28) Operation timed out after 30001 milliseconds with 0 bytes received\n"},
		{name: "downloaded", command: "hf download gpt2 config.json", want: guide.Pass, out: "/root/.cache/huggingface/hub/models--gpt2/snapshots/607a30d783dfa663caf39e06633721c8d4cfcd7e/config.json\n"},
		{name: "downloaded, but from where", command: "hf download gpt2 config.json", context: mirrorSet, want: guide.Warn, rule: "host-unseen", out: "/root/.cache/huggingface/hub/models--gpt2/snapshots/607a30d783dfa663caf39e06633721c8d4cfcd7e/config.json\n"},
		{name: "not there", command: "hf download gpt2", exit: 127, want: guide.Warn, out: "bash: hf: command not found\n"},
		{name: "our own command", command: ownHF, context: mirrorSet, want: guide.Pass, out: "connecting to https://hf-mirror.com\n200 0 0 0.004 0.031 0.100 0.200\n206 104857600 48902225 0.004 0.031 0.100 2.144\n", facts: `{"host":"hf-mirror.com","mirror_ignored":false}`},
		{name: "our own command, no mirror", command: ownHF, want: guide.Pass, out: "connecting to https://huggingface.co\n200 0 0 0.004 0.031 0.100 0.200\n206 104857600 48902225 0.004 0.031 0.100 2.144\n", facts: `{"host":"huggingface.co"}`},
		{name: "our own command past the mirror", command: ownHF, context: mirrorSet, want: guide.Fail, rule: "mirror-ignored", out: "connecting to https://huggingface.co\n200 0 0 0.004 0.031 0.100 0.200\n206 104857600 48902225 0.004 0.031 0.100 2.144\n"},
		{name: "our own command stops", command: ownHF, exit: 28, context: mirrorSet, want: guide.Fail, rule: "connect-timeout", out: "connecting to https://hf-mirror.com\ncurl: (28) Failed to connect to hf-mirror.com port 443 after 20001 ms: Connection timed out\n000 0 0 0.004 0.000 0.000 20.001\n"},
		{name: "nonsense", command: "hf download gpt2", want: guide.Warn, rule: "unread", out: "hello\n"},
		{name: "empty", want: guide.Warn, rule: "unread"},
	})
}
