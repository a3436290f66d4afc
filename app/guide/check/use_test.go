package check

import (
	"testing"

	"rentgen/app/guide"
)

func TestTmux(t *testing.T) {
	runCases(t, guide.SessionTmux, []netCase{
		{name: "version and no server", command: "tmux -V; tmux ls", exit: 1, want: guide.Pass, rule: "ok-none", out: "tmux 3.2a\nno server running on /tmp/tmux-0/default\n", facts: `{"tmux_version":"3.2a","sessions":0,"server_running":false,"session_names":[]}`},
		{name: "no socket", command: "tmux ls", exit: 1, want: guide.Pass, rule: "ok-none", out: "error connecting to /tmp/tmux-0/default (No such file or directory)\n", facts: `{"sessions":0,"server_running":false}`},
		{name: "no socket, in Chinese", command: "tmux ls", exit: 1, want: guide.Pass, out: "error connecting to /tmp/tmux-0/default (没有那个文件或目录)\n", facts: `{"sessions":0}`},
		{name: "an old one without server", command: "tmux ls", exit: 1, want: guide.Pass, out: "failed to connect to server: Connection refused\n", facts: `{"server_running":false}`},
		{name: "old and wide", command: "tmux ls", want: guide.Pass, rule: "ok-sessions", out: "0: 1 windows (created Mon Nov 30 01:02:44 2026) [80x24]\nmy ui: 3 windows (created Mon Nov 30 01:02:44 2026) [211x50] (attached)\n", facts: `{"sessions":2,"session_names":["0","my ui"],"attached":1,"server_running":true}`},
		{name: "a group", command: "tmux ls", want: guide.Pass, out: "a: 1 windows (created Mon Nov 30 01:02:44 2026) (group a) (attached)\n", facts: `{"attached":1}`},
		{name: "dates in Chinese", command: "tmux ls", want: guide.Pass, out: "train: 1 windows (created 一 11月 30 01:02:44 2026)\n", facts: `{"sessions":1}`},
		{name: "missing", command: "tmux -V", exit: 127, want: guide.Warn, rule: "missing", out: "bash: line 1: tmux: command not found\n", facts: `{"error":"command_not_found"}`},
		{name: "missing, with advice", command: "tmux -V", exit: 127, track: guide.Shared, want: guide.Warn, rule: "missing", out: "\nCommand 'tmux' not found, but can be installed with:\n\napt install tmux\n\n"},
		{name: "missing, in Chinese", command: "tmux ls", exit: 127, want: guide.Warn, rule: "missing", out: "-bash: tmux：未找到命令\n", facts: `{"locale":"zh"}`},
		{name: "missing, busybox", command: "tmux -V; tmux ls", exit: 127, want: guide.Warn, rule: "missing", out: "sh: tmux: not found\nsh: tmux: not found\n"},
		{name: "which finds nothing", command: "which tmux", exit: 1, want: guide.Warn, rule: "missing"},
		{name: "which finds it", command: "which tmux", want: guide.Pass, out: "/usr/bin/tmux\n"},
		{name: "needs a locale", command: "tmux -V", exit: 1, want: guide.Warn, rule: "locale", out: "tmux: need UTF-8 locale (LC_CTYPE) but have ANSI_X3.4-1968\n"},
		{name: "no terminal", command: "tmux new -s ui", exit: 1, want: guide.Warn, rule: "terminal", out: "open terminal failed: not a terminal\n"},
		{name: "an old server", command: "tmux ls", exit: 1, want: guide.Warn, rule: "broken", out: "protocol version mismatch (client 8, server 7)\n"},
		{name: "a library is missing", command: "tmux -V", exit: 127, want: guide.Warn, rule: "broken", out: "tmux: error while loading shared libraries: libevent_core-2.1.so.7: cannot open shared object file: No such file or directory\n"},
		{name: "a build of tomorrow", command: "tmux -V", want: guide.Pass, out: "tmux next-3.6\n", facts: `{"tmux_version":"next-3.6"}`},
		{name: "something else", command: "tmux -V", want: guide.Warn, rule: "unread", out: "screen version 4.09\n"},
	})
}

func TestTunnel(t *testing.T) {
	forward := "ssh -N -L 8188:127.0.0.1:8188 host"
	runCases(t, guide.Tunnel, []netCase{
		{name: "forbidden", command: forward, want: guide.Fail, rule: "prohibited", out: "channel 2: open failed: administratively prohibited: open failed\n", facts: `{"error":"forwarding_disabled"}`},
		{name: "forbidden on a shared machine", command: forward, track: guide.Shared, want: guide.Fail, out: "channel 2: open failed: administratively prohibited: open failed\nchannel 3: open failed: administratively prohibited: open failed\n"},
		{name: "forbidden, in Go's words", command: forward, track: guide.Network, want: guide.Fail, out: "ssh: rejected: administratively prohibited (open failed)\n"},
		{name: "refused, in Go's words", command: forward, want: guide.Warn, rule: "refused", out: "ssh: rejected: connect failed (Connection refused)\n", facts: `{"error":"remote_port_closed"}`},
		{name: "busy, in Go's words", command: forward, want: guide.Warn, rule: "busy", out: "listen tcp 127.0.0.1:8188: bind: address already in use\n", facts: `{"error":"local_port_busy"}`},
		{name: "busy on Windows", command: forward, exit: 255, want: guide.Warn, rule: "busy", out: "bind [127.0.0.1]:8188: Permission denied\nchannel_setup_fwd_listener_tcpip: cannot listen to port: 8188\nCould not request local forwarding.\n"},
		{name: "the login was refused", command: forward, exit: 255, want: guide.Warn, rule: "no-ssh", out: "ssh: connect to host 192.0.2.7 port 22: Connection refused\n"},
		{name: "an answer through the forward", command: forward, context: `{"http_code":200}`, want: guide.Pass},
		{name: "a login page answers, too", command: forward, context: `{"http_code":401}`, want: guide.Pass},
		{name: "a proxy with nothing behind", command: forward, context: `{"http_code":502}`, want: guide.Warn, rule: "server-error"},
		{name: "answered once, then refused", command: forward, context: `{"http_code":200}`, want: guide.Warn, rule: "refused", out: "channel 3: open failed: connect failed: Connection refused\n"},
		{name: "curl", command: "curl -I http://127.0.0.1:8188", want: guide.Pass, out: "HTTP/1.1 200 OK\nContent-Type: text/html\n"},
		{name: "curl, the code alone", command: "curl -sS -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:8188/", want: guide.Pass, out: "200\n"},
		{name: "curl, refused", command: "curl -sS -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:8188/", exit: 7, want: guide.Warn, rule: "refused", out: "000\ncurl: (7) Failed to connect to 127.0.0.1 port 8188 after 0 ms: Connection refused\n"},
		{name: "curl, reset", command: "curl http://127.0.0.1:8188/", exit: 52, want: guide.Warn, rule: "no-answer", out: "curl: (52) Empty reply from server\n"},
		{name: "the log of ComfyUI", command: "tail comfyui.log", want: guide.Warn, rule: "log-only", out: "Starting server\n\nTo see the GUI go to: http://127.0.0.1:18188\n", facts: `{"ui_port":18188}`},
		{name: "the log of A1111", command: "tail webui.log", want: guide.Warn, rule: "log-only", out: "Running on local URL:  http://127.0.0.1:7860\n\nTo create a public link, set `share=True` in `launch()`.\n", facts: `{"ui_port":7860}`},
		{name: "the log of Jupyter", command: "tail jupyter.log", want: guide.Warn, out: "[I 2026-11-30 10:00:00.000 ServerApp] Jupyter Server 2.14.0 is running at:\n[I 2026-11-30 10:00:00.000 ServerApp] http://localhost:8888/lab?token=abc\n", facts: `{"ui_port":8888}`},
		{name: "the log of Uvicorn", command: "tail log", want: guide.Warn, out: "INFO:     Uvicorn running on http://0.0.0.0:9090 (Press CTRL+C to quit)\n", facts: `{"ui_port":9090}`},
		{name: "the log names another port than the one refused", command: forward, want: guide.Warn, rule: "refused", out: "channel 3: open failed: connect failed: Connection refused\nTo see the GUI go to: http://0.0.0.0:18188\n", facts: `{"ui_port":18188}`},
		{name: "a wrong address behind", command: forward, want: guide.Warn, rule: "channel", out: "channel 2: open failed: connect failed: No route to host\n"},
		{name: "silence", command: forward, want: guide.Warn, rule: "no-get"},
		{name: "something else", command: forward, want: guide.Warn, rule: "unread", out: "Welcome\n"},
	})
}

func TestCache(t *testing.T) {
	ours := `for n in HF_HOME HF_HUB_CACHE TORCH_HOME PIP_CACHE_DIR XDG_CACHE_HOME; do
  echo "$n=$v"
  findmnt -n -T "${v:-/}" -o TARGET,SOURCE,FSTYPE,OPTIONS
  r=$(readlink -f "$v"); [ -z "$r" ] || [ "$r" = "$v" ] || echo "link: $v -> $r"
done
timeout 5 du -sh "$h"
df -h /
if [ -n "$u" ]; then
  echo "ui: $u"
  findmnt -n -T "$u/models" -o TARGET,SOURCE,FSTYPE,OPTIONS
  for f in "$u/models" "$u"/models/*; do
    echo "link: $f -> $r"
    [ "$f" = "$u/models" ] || { echo "models=$r"; findmnt -n -T "$r" -o TARGET,SOURCE,FSTYPE,OPTIONS; }
  done
  ls "$u"/extra_model_paths.y*ml
else echo 'ui: none'
fi`
	data := "/root/autodl-tmp /dev/md0[/volumes/instance-data] xfs rw,relatime,prjquota\n"
	layer := "/ overlay overlay rw,relatime,lowerdir=/a:/b,upperdir=/c,workdir=/d\n"
	rest := "4.1G\t/root/autodl-tmp/hf\nFilesystem      Size  Used Avail Use% Mounted on\noverlay          30G   12G   18G  40% /\n"
	all := "HF_HOME=/root/autodl-tmp/hf\n" + data + "HF_HUB_CACHE=\nTORCH_HOME=/root/autodl-tmp/torch\n" + data + "PIP_CACHE_DIR=/root/autodl-tmp/pip\n" + data + "XDG_CACHE_HOME=\n"
	one := `echo "HF_HOME=$HF_HOME"; findmnt -n -T "$HF_HOME" -o TARGET,SOURCE,FSTYPE,OPTIONS`
	runCases(t, guide.CachePersist, []netCase{
		{name: "our own command", command: ours, track: guide.Shared, want: guide.Pass, out: all + rest + "ui: none\n", facts: `{"hf_home":"/root/autodl-tmp/hf","hf_home_mount":"/root/autodl-tmp","cache_persistent":true,"cache_gib":4.1}`},
		{name: "our own command, with a UI", command: ours, track: guide.Shared, want: guide.Pass, out: all + rest + "ui: /root/autodl-tmp/ComfyUI\n" + data + "/root/autodl-tmp/ComfyUI/extra_model_paths.yaml\n", facts: `{"config_found":true,"wrong_extension":false}`},
		{name: "our own command, models on the layer", command: ours, track: guide.Shared, want: guide.Warn, rule: "dir-lost", out: all + rest + "ui: /root/ComfyUI\n" + layer + "ls: cannot access '/root/ComfyUI/extra_model_paths.y*ml': No such file or directory\n", facts: `{"config_found":false}`},
		{name: "our own command, the folder behind a link", command: ours, track: guide.Shared, want: guide.Pass, out: "HF_HOME=/root/hf/a\n" + data + "link: /root/hf -> /root/autodl-tmp/hf\nHF_HUB_CACHE=\nTORCH_HOME=/root/autodl-tmp/torch\n" + data + "PIP_CACHE_DIR=/root/autodl-tmp/pip\n" + data + "XDG_CACHE_HOME=\n" + rest + "ui: none\n", facts: `{"hf_home":"/root/hf/a","hf_home_mount":"/root/autodl-tmp"}`},
		{name: "our own command, models behind links", command: ours, track: guide.Shared, want: guide.Pass, out: all + rest + "ui: /root/ComfyUI\n" + layer + "link: /root/ComfyUI/models/checkpoints -> /root/autodl-tmp/ckpt\nmodels=/root/autodl-tmp/ckpt\n" + data + "/root/ComfyUI/extra_model_paths.yaml\n"},
		{name: "our own command, the folder of models behind a link", command: ours, track: guide.Shared, want: guide.Pass, out: all + rest + "ui: /root/ComfyUI\n" + data + "link: /root/ComfyUI/models -> /root/autodl-tmp/models\n/root/ComfyUI/extra_model_paths.yaml\n"},
		{name: "our own command, a link to the layer", command: ours, track: guide.Shared, want: guide.Warn, rule: "dir-lost", out: all + rest + "ui: /root/ComfyUI\n" + layer + "link: /root/ComfyUI/models/checkpoints -> /root/ckpt\nmodels=/root/ckpt\n" + layer + "/root/ComfyUI/extra_model_paths.yaml\n"},
		{name: "our own command, a link to nowhere", command: ours, track: guide.Shared, want: guide.Warn, rule: "not-enough", out: all + rest + "ui: /root/ComfyUI\n" + layer + "link: /root/ComfyUI/models/checkpoints -> /root/autodl-tmp/ckpt\nmodels=/root/autodl-tmp/ckpt\n/root/ComfyUI/extra_model_paths.yaml\n"},
		{name: "our own command, relative", command: ours, track: guide.Shared, want: guide.Warn, rule: "home-tilde", out: "HF_HOME=cache/hf\nHF_HUB_CACHE=\nTORCH_HOME=/root/autodl-tmp/torch\n" + data + "PIP_CACHE_DIR=/root/autodl-tmp/pip\n" + data + "XDG_CACHE_HOME=\n" + rest + "ui: none\n"},
		{name: "our own command, .yml", command: ours, track: guide.Shared, want: guide.Fail, rule: "yml", out: all + rest + "ui: /root/autodl-tmp/ComfyUI\n" + data + "/root/autodl-tmp/ComfyUI/extra_model_paths.yml\n", facts: `{"config_found":false,"wrong_extension":true}`},
		{name: "our own command, nothing set", command: ours, track: guide.Shared, want: guide.Warn, rule: "unset", out: "HF_HOME=\nHF_HUB_CACHE=\nTORCH_HOME=\nPIP_CACHE_DIR=\nXDG_CACHE_HOME=\n" + rest, facts: `{"hf_home":null,"cache_persistent":false}`},
		{name: "our own command, on the layer", command: ours, track: guide.Shared, want: guide.Fail, rule: "layer", out: "HF_HOME=/workspace/hf\n" + layer + "HF_HUB_CACHE=\nTORCH_HOME=/root/autodl-tmp/torch\n" + data + "PIP_CACHE_DIR=/root/autodl-tmp/pip\n" + data + "XDG_CACHE_HOME=\n" + rest, facts: `{"hf_home_mount":null,"cache_persistent":false}`},
		{name: "set to the layer", command: one, track: guide.Shared, want: guide.Fail, rule: "layer", out: "HF_HOME=/workspace/hf\n" + layer, facts: `{"hf_home":"/workspace/hf","hf_home_mount":null,"cache_persistent":false}`},
		{name: "set to the layer, by df", command: `echo "HF_HOME=$HF_HOME"; df -h "$HF_HOME" | tail -1`, track: guide.Shared, want: guide.Fail, rule: "layer", out: "HF_HOME=/workspace/hf\noverlay          30G   28G  3.0G  91% /\n", facts: `{"hf_home_mount":null}`},
		{name: "df of the root proves nothing", command: `echo "HF_HOME=$HF_HOME"; df -h / | tail -1`, track: guide.Shared, want: guide.Warn, rule: "no-mount", out: "HF_HOME=/workspace/hf\noverlay          30G   28G  3.0G  91% /\n"},
		{name: "by df, on a disk", command: `echo "HF_HOME=$HF_HOME"; df -h "$HF_HOME"`, track: guide.Shared, want: guide.Pass, out: "HF_HOME=/workspace/hf\nFilesystem      Size  Used Avail Use% Mounted on\n/dev/vdb1       200G   20G  180G  10% /workspace\n", facts: `{"hf_home_mount":"/workspace"}`},
		{name: "a name proves nothing", command: `echo "HF_HOME=$HF_HOME"`, track: guide.Shared, want: guide.Warn, rule: "no-mount", out: "HF_HOME=/workspace/hf\n"},
		{name: "a mount of another directory", command: one, track: guide.Shared, want: guide.Warn, rule: "no-mount", out: "HF_HOME=/workspace/hf\n" + data},
		{name: "behind a symbolic link", command: `echo "HF_HOME=$HF_HOME"; ls -ld "$HF_HOME"; findmnt -n -T "$HF_HOME"`, track: guide.Shared, want: guide.Pass, out: "HF_HOME=/root/hf\nlrwxrwxrwx 1 root root 20 Nov 30 10:00 /root/hf -> /root/autodl-tmp/hf\n" + data, facts: `{"hf_home_mount":"/root/autodl-tmp"}`},
		{name: "in the whole list", command: `echo "HF_HOME=$HF_HOME"; mount`, track: guide.Shared, want: guide.Pass, out: "HF_HOME=/workspace/hf\noverlay on / type overlay (rw,relatime)\nproc on /proc type proc (rw)\ntmpfs on /dev type tmpfs (rw)\nmfs#a:9421 on /workspace type fuse (rw,relatime)\n"},
		{name: "in the whole list, on the layer", command: `echo "HF_HOME=$HF_HOME"; mount`, track: guide.Shared, want: guide.Fail, rule: "layer", out: "HF_HOME=/workspace/hf\noverlay on / type overlay (rw,relatime)\nproc on /proc type proc (rw)\ntmpfs on /dev type tmpfs (rw)\n/dev/md0 on /root/autodl-tmp type xfs (rw,relatime)\n"},
		{name: "no mount has that name", command: `echo "HF_HOME=$HF_HOME"; mount | grep workspace`, exit: 1, track: guide.Shared, want: guide.Fail, rule: "layer", out: "HF_HOME=/workspace/hf\n", facts: `{"hf_home_mount":null,"cache_persistent":false}`},
		{name: "another name was sought", command: `echo "HF_HOME=$HF_HOME"; mount | grep autodl`, exit: 1, track: guide.Shared, want: guide.Warn, rule: "no-mount", out: "HF_HOME=/workspace/hf\n"},
		{name: "in a short list of df", command: `echo "HF_HOME=$HF_HOME"; df -h`, track: guide.Shared, want: guide.Fail, rule: "layer", out: "HF_HOME=/workspace/hf\nFilesystem      Size  Used Avail Use% Mounted on\noverlay          30G   28G  3.0G  91% /\n/dev/md127       50G   17G   34G  33% /root/autodl-tmp\n"},
		{name: "our own command, behind a link", command: ours, track: guide.Shared, want: guide.Warn, rule: "no-mount", out: "HF_HOME=/root/hf\n" + data + "HF_HUB_CACHE=\nTORCH_HOME=/root/autodl-tmp/torch\n" + data + "PIP_CACHE_DIR=/root/autodl-tmp/pip\n" + data + "XDG_CACHE_HOME=\n" + rest + "ui: none\n"},
		{name: "in RAM", command: one, track: guide.Shared, want: guide.Fail, rule: "ram", out: "HF_HOME=/dev/shm/hf\n/dev/shm shm tmpfs rw,nosuid,size=8388608k\n"},
		{name: "read-only data of the provider", command: one, track: guide.Shared, want: guide.Fail, rule: "read-only", out: "HF_HOME=/autodl-pub/hf\n/autodl-pub /dev/nvme1n1 ext4 ro,relatime\n"},
		{name: "the root of a whole machine lasts", command: one, want: guide.Pass, out: "HF_HOME=/home/me/hf\n/ /dev/vda1 ext4 rw,relatime\n", facts: `{"hf_home_mount":null,"cache_persistent":true}`},
		{name: "a tilde in the variable", command: `echo "HF_HOME=$HF_HOME"`, track: guide.Shared, want: guide.Warn, rule: "home-tilde", out: "HF_HOME=~/autodl-tmp/hf\n"},
		{name: ".yml listed", command: "ls /root/ComfyUI/*.y*ml", track: guide.Shared, want: guide.Fail, rule: "yml", out: "/root/ComfyUI/extra_model_paths.yml\n", facts: `{"config_found":false,"wrong_extension":true}`},
		{name: ".yml in a long list", command: "ls -l ComfyUI", want: guide.Fail, rule: "yml", out: "total 84\n-rw-r--r-- 1 root root  812 Nov 30 10:00 extra_model_paths.yml\n-rw-r--r-- 1 root root 2112 Nov 30 10:00 extra_model_paths.yaml.example\n-rw-r--r-- 1 root root  912 Nov 30 10:00 main.py\n", facts: `{"wrong_extension":true}`},
		{name: "both are there", command: "ls ComfyUI", want: guide.Warn, rule: "not-enough", out: "extra_model_paths.yaml\nextra_model_paths.yml\nmain.py\n", facts: `{"config_found":true,"wrong_extension":false}`},
		{name: "the file with a tilde", command: "cat extra_model_paths.yaml", want: guide.Warn, rule: "tilde", out: "comfyui:\n    base_path: ~/ComfyUI/\n    checkpoints: models/checkpoints/\n    loras: |\n        ~/loras\n        /data/loras\n", facts: `{"paths_with_tilde":2,"config_found":true}`},
		{name: "the file is broken", command: "python main.py", exit: 1, want: guide.Warn, rule: "yaml-broken", out: "yaml.scanner.ScannerError: mapping values are not allowed here\n  in \"/root/ComfyUI/extra_model_paths.yaml\", line 3, column 12\n"},
		{name: "search paths in a log", command: "grep 'extra search path' comfyui.log", want: guide.Warn, rule: "not-enough", out: "Adding extra search path checkpoints /data/models/checkpoints\n", facts: `{"paths_with_tilde":0,"config_found":true}`},
		{name: "export in a start file", command: "grep HF_HOME ~/.bashrc; findmnt -n -T /root/autodl-tmp/hf", track: guide.Shared, want: guide.Pass, out: "export HF_HOME=\"/root/autodl-tmp/hf\"\n" + data},
		{name: "nothing", command: one, want: guide.Warn, rule: "unread"},
		{name: "another variable is cut off", command: `echo "HF_HOME=$HF_HOME"; findmnt -n -T "$HF_HOME"; echo "TORCH_HOME=$TORCH_HOME"; findmnt -n -T "$TORCH_HOME"`, track: guide.Shared, want: guide.Warn, rule: "not-enough", out: "HF_HOME=/root/autodl-tmp/hf\n" + data},
	})
}

func TestFirstImage(t *testing.T) {
	crash := "got prompt\n!!! Exception during processing !!! CUDA error: no kernel image is available for execution on the device\nTraceback (most recent call last):\n  File \"/root/ComfyUI/execution.py\", line 323, in execute\n    output_data = get_output_data(obj)\nRuntimeError: CUDA error: no kernel image is available for execution on the device\n\nPrompt executed in 3.21 seconds\n"
	good := "got prompt\nmodel weight dtype torch.float16, manual cast: None\nPrompt executed in 21.40 seconds\ngot prompt\nPrompt executed in 6.10 seconds\ngot prompt\nPrompt executed in 6.30 seconds\n"
	runCases(t, guide.FirstImage, []netCase{
		{name: "cold, then warm", command: "tail comfyui.log", want: guide.Pass, out: good, facts: `{"first_s":21.4,"warm_median_s":6.2,"load_overhead_s":15.2}`},
		{name: "slower than expected", command: "tail comfyui.log", context: `{"expected_warm_s":4}`, want: guide.Warn, rule: "warm-slow", out: good},
		{name: "as fast as expected", command: "tail comfyui.log", context: `{"expected_warm_s":7}`, want: guide.Pass, out: good},
		{name: "a crash", command: "tail comfyui.log", want: guide.Fail, rule: "exception", out: crash},
		{name: "a crash alone", command: "tail comfyui.log", want: guide.Fail, out: "got prompt\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f\n    g()\ntorch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)\n\nPrompt executed in 1.02 seconds\n"},
		{name: "one is under way", command: "tail comfyui.log", want: guide.Warn, rule: "unfinished", out: good + "got prompt\n"},
		{name: "a crash, the begin is cut off", command: "tail -3 comfyui.log", want: guide.Fail, out: "RuntimeError: mat1 and mat2 shapes cannot be multiplied (77x2048 and 768x320)\n\nPrompt executed in 0.92 seconds\n"},
		{name: "killed", command: "python main.py", exit: 137, want: guide.Fail, out: "got prompt\nRequested to load SDXL\nKilled\n"},
		{name: "a long one", command: "tail comfyui.log", want: guide.Warn, rule: "first-slow", out: "got prompt\nPrompt executed in 00:40:12\ngot prompt\nPrompt executed in 00:10:02\n", facts: `{"first_s":2412,"warm_median_s":602}`},
		{name: "ten times the warm one", command: "tail comfyui.log", want: guide.Warn, rule: "first-many", out: "got prompt\nPrompt executed in 62.00 seconds\ngot prompt\nPrompt executed in 5.10 seconds\n"},
		{name: "one alone", command: "tail comfyui.log", want: guide.Warn, rule: "one-only", out: "got prompt\nPrompt executed in 21.40 seconds\n", facts: `{"first_s":21.4,"warm_median_s":null}`},
		{name: "already made", command: "tail comfyui.log", want: guide.Warn, rule: "one-only", out: "got prompt\nPrompt executed in 21.40 seconds\ngot prompt\nPrompt executed in 0.01 seconds\n"},
		{name: "with times and colours", command: "tail comfyui.log", want: guide.Pass, out: "[2026-11-30 10:00:00.1] \x1b[32m[INFO]\x1b[0m got prompt\n[2026-11-30 10:00:21.1] Prompt executed in 21.40 seconds\n[2026-11-30 10:00:30.1] got prompt\n[2026-11-30 10:00:36.1] Prompt executed in 6.10 seconds\n"},
		{name: "an error of a node at the start", command: "tail comfyui.log", want: guide.Pass, out: "Traceback (most recent call last):\n  File \"nodes.py\", line 2112, in load_custom_node\n    module_spec.loader.exec_module(module)\nModuleNotFoundError: No module named 'insightface'\n\nCannot import /root/ComfyUI/custom_nodes/X module for custom nodes\nTo see the GUI go to: http://127.0.0.1:8188\n" + good},
		{name: "a browser that went away", command: "tail comfyui.log", want: guide.Pass, out: "got prompt\nError handling request from 127.0.0.1\nTraceback (most recent call last):\n  File \"web_protocol.py\", line 480, in _handle_request\n    resp = await request_handler(request)\nConnectionResetError: Cannot write to closing transport\nPrompt executed in 21.40 seconds\ngot prompt\nPrompt executed in 6.10 seconds\n"},
		{name: "VRAM ran out in a way that is mended", command: "tail comfyui.log", want: guide.Pass, out: "got prompt\nWarning: Ran out of memory when regular VAE decoding, retrying with tiled VAE decoding.\nPrompt executed in 21.40 seconds\ngot prompt\nPrompt executed in 6.10 seconds\n"},
		{name: "refused", command: "tail comfyui.log", want: guide.Warn, rule: "rejected", out: "got prompt\nFailed to validate prompt for output 9:\n* CheckpointLoaderSimple 4:\n  - Value not in list: ckpt_name: 'a.safetensors' not in []\nOutput will be ignored\ninvalid prompt: {'type': 'prompt_outputs_failed_validation'}\n"},
		{name: "not done yet", command: "tail comfyui.log", want: guide.Warn, rule: "unfinished", out: "got prompt\n 40%|████      | 8/20 [00:02<00:03,  3.9it/s]\n"},
		{name: "none yet", command: "tail comfyui.log", want: guide.Warn, rule: "none-yet", out: "Starting server\nTo see the GUI go to: http://127.0.0.1:8188\n"},
		{name: "no log", command: "tail comfyui.log", exit: 1, want: guide.Warn, rule: "no-log", out: "no log of ComfyUI or A1111 was found\n"},
		{name: "the first is faster", command: "tail comfyui.log", want: guide.Warn, rule: "odd", out: "got prompt\nPrompt executed in 3.20 seconds\ngot prompt\nPrompt executed in 61.00 seconds\n"},
		{name: "A1111", command: "tail webui.log", want: guide.Pass, out: "Time taken: 1 min. 5.2 sec.\nTime taken: 12.1 sec.\nTime taken: 12.3 sec.\n", facts: `{"first_s":65.2,"warm_median_s":12.2}`},
		{name: "A1111 fails", command: "tail webui.log", want: guide.Fail, out: "*** Error completing request\n*** Arguments: ('task(a)',)\n    Traceback (most recent call last):\n      File \"call_queue.py\", line 57, in f\n        res = list(func(*args, **kwargs))\n    torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n---\nTime taken: 2.1 sec.\n"},
		{name: "the history of ComfyUI", command: "curl -s http://127.0.0.1:8188/history", want: guide.Pass, out: `{"b":{"status":{"status_str":"success","completed":true,"messages":[["execution_start",{"timestamp":1764490030000}],["execution_success",{"timestamp":1764490036000}]]}},"a":{"status":{"status_str":"success","completed":true,"messages":[["execution_start",{"timestamp":1764490000000}],["execution_success",{"timestamp":1764490021000}]]}}}`, facts: `{"first_s":21,"warm_median_s":6}`},
		{name: "the history with an error", command: "curl -s http://127.0.0.1:8188/history", want: guide.Fail, out: `{"a":{"status":{"status_str":"error","completed":false,"messages":[["execution_start",{"timestamp":1764490000000}],["execution_error",{"timestamp":1764490002000,"exception_message":"out of memory"}]]}}}`},
		{name: "nothing", command: "tail comfyui.log", exit: 1, want: guide.Warn, rule: "unread", out: "tail: cannot open 'comfyui.log' for reading: No such file or directory\n"},
	})
	// A part of these logs is a good log of its own, so they are not cut.
	for _, out := range []string{good + crash, crash + good} {
		if o := Judge(guide.Input{Check: guide.FirstImage, Track: guide.Shared, Command: "tail comfyui.log", Stdout: []byte(out)}); o.Verdict != guide.Fail || o.Facts["first_s"] != 21.4 {
			t.Errorf("%s, %v for\n%s", o.Verdict, o.Facts, out)
		}
	}
}
