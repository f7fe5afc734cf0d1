// SPDX-License-Identifier: MIT
//
// tc, in the place of the kernel's for scripts written for Mininet: where the simulator shapes a device, the process of
// the script answers.
//
//     tc ── words ──▶ the socket of each network that runs on this computer ──▶ an answer, or "pass": the kernel's tc
//
// What the script itself gave to the device in the kernel is shown as the kernel shows it. Scripts call this a hundred
// times a second, so it is a program of its own, and starts the kernel's only where the kernel has something to show. The
// words are understood in one place: hybridnet/compat/mininet/tc/server.py, which has the other end of the socket. Of a
// batch (-b FILE), each line is asked for by itself.

#include <dirent.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kSocket = "/sockets/tc";  // in the folder of a run
constexpr std::string_view kAnyway = "--anyway";     // before the words: the kernel has not what they ask for
constexpr int kPatienceSeconds = 10;

struct Answer {
  int status = 0;
  std::string kernel;  // "own": it may have its own to show; "does": it comes first; else "-"
  std::string out;
  std::string err;
};

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

std::string setting(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

std::string all_of(int fd) {
  std::string text;
  std::array<char, 16'384> piece;
  for (ssize_t got = 0; (got = ::read(fd, piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(got));
  return text;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// The program that this one stands for; empty: there is none.
std::string kernels_tc() {
  std::istringstream folders(setting("HYBRIDNET_PATH", "/bin:/usr/bin") + ":/sbin:/usr/sbin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string path = folder + "/tc";
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

std::vector<std::string> sockets() {
  const std::string state = setting("HYBRIDNET_STATE_DIR", "/run/hybridnet");
  std::vector<std::string> found;
  DIR* folder = ::opendir(state.c_str());
  if (folder == nullptr) return found;
  while (const dirent* run = ::readdir(folder)) {
    const std::string path = state + "/" + run->d_name + std::string(kSocket);
    if (run->d_name[0] != '.' && ::access(path.c_str(), F_OK) == 0) found.push_back(path);
  }
  ::closedir(folder);
  return found;
}

// What the script at `path` says; nothing: "pass", or its process has ended, or is ending.
std::optional<Answer> asked(const std::string& path, const Words& words) {
  const Descriptor asking(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.data(), path.size());
  const timeval patience{.tv_sec = kPatienceSeconds, .tv_usec = 0};
  ::setsockopt(asking.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (::connect(asking.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return std::nullopt;
  std::string text;
  for (const std::string& word : words) text.append(word).push_back('\0');
  if (!write_all(asking.get(), text) || ::shutdown(asking.get(), SHUT_WR) != 0) return std::nullopt;

  const std::string told = all_of(asking.get());
  const std::size_t end = told.find('\n');
  std::istringstream first(told.substr(0, end));
  Answer answer;
  std::size_t out_bytes = 0;
  if (end == std::string::npos || !(first >> answer.status >> answer.kernel >> out_bytes) ||
      out_bytes > told.size() - end - 1)
    return std::nullopt;
  answer.out = told.substr(end + 1, out_bytes);
  answer.err = told.substr(end + 1 + out_bytes);
  return answer;
}

// Whether the kernel has a queue at the device (rtnetlink(7), RTM_GETQDISC); true where that cannot be found out.
bool kernel_has_queue(const Words& words) {
  std::string device;
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "dev") device = words[i + 1];
  const unsigned index = ::if_nametoindex(device.c_str());
  if (index == 0) return false;
  const Descriptor asking(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  struct {
    nlmsghdr header;
    tcmsg body;
  } request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_GETQDISC;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.body.tcm_ifindex = static_cast<int>(index);
  if (::send(asking.get(), &request, sizeof request, 0) != static_cast<ssize_t>(sizeof request)) return true;
  alignas(nlmsghdr) std::array<char, 32'768> piece;
  while (true) {
    const ssize_t got = ::recv(asking.get(), piece.data(), piece.size(), 0);
    if (got <= 0) return true;
    auto left = static_cast<unsigned>(got);
    for (auto* message = reinterpret_cast<nlmsghdr*>(piece.data()); NLMSG_OK(message, left);
         message = NLMSG_NEXT(message, left)) {
      if (message->nlmsg_type == NLMSG_DONE) return false;
      if (message->nlmsg_type != RTM_NEWQDISC) return true;
      auto* queue = static_cast<tcmsg*>(NLMSG_DATA(message));
      if (queue->tcm_ifindex != static_cast<int>(index)) continue;
      auto rest = static_cast<unsigned>(message->nlmsg_len - NLMSG_LENGTH(sizeof(tcmsg)));
      for (auto* field =
               reinterpret_cast<rtattr*>(reinterpret_cast<char*>(queue) + NLMSG_ALIGN(sizeof(tcmsg)));
           RTA_OK(field, rest); field = RTA_NEXT(field, rest))
        if (field->rta_type == TCA_KIND && std::strcmp(static_cast<char*>(RTA_DATA(field)), "noqueue") != 0)
          return true;
    }
  }
}

std::vector<char*> arguments(const char* name, const Words& words) {
  std::vector<char*> all = {const_cast<char*>(name)};
  for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  return all;
}

// What the kernel's tc prints, and its status.
Answer kernels_answer(const std::string& program, const Words& words) {
  std::array<int, 2> out{};
  std::FILE* err = std::tmpfile();
  if (err == nullptr || ::pipe2(out.data(), O_CLOEXEC) != 0)
    return {.status = 1, .kernel = "-", .out = "", .err = ""};
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(::fileno(err), STDERR_FILENO);
    ::execv(program.c_str(), arguments("tc", words).data());
    ::_exit(127);
  }
  ::close(out[1]);
  Answer answer;
  answer.out = all_of(out[0]);
  ::close(out[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  answer.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ::lseek(::fileno(err), 0, SEEK_SET);
  answer.err = all_of(::fileno(err));
  std::fclose(err);
  return answer;
}

bool complains(const Answer& answer, const char* of) {
  return answer.status != 0 && answer.err.find(of) != std::string::npos;
}

// No netem in the kernel; a switch's port that is no device.
bool cannot(const Answer& own) {
  return complains(own, "kind is unknown") || complains(own, "Cannot find device");
}

bool among(const Words& words, const char* word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The kernel's answer to what the simulator does not do; why it does not is said.
Answer explained(Answer own) {
  if (complains(own, "kind is unknown")) {
    own.err +=
        "hybridnet: this kernel has no such queueing discipline, and the simulator has only netem, tbf, htb "
        "5: and red 6:, "
        "at the root of an interface and below each other as Mininet has them\n";
  }
  return own;
}

// What the script's answer, and the kernel's beside it, come to; nothing: all of it is the kernel's.
std::optional<Answer> together(const std::string& path, const std::string& program, const Words& words) {
  std::optional<Answer> answer = asked(path, words);
  if (!answer || answer->kernel == "-" || program.empty()) return answer;
  if (answer->kernel == "own") {
    if (!kernel_has_queue(words)) return answer;
    Answer own = kernels_answer(program, words);
    return own.out.empty() ? answer : own;
  }
  Answer own = kernels_answer(program, words);
  if (!cannot(own)) return own;
  Words again = {std::string(kAnyway)};
  again.insert(again.end(), words.begin(), words.end());
  if (std::optional<Answer> anyway = asked(path, again)) return anyway;
  return explained(own);
}

// What a run of this computer answers; nothing: it is all the kernel's.
std::optional<Answer> answered(const std::string& program, const Words& words) {
  if (!among(words, "dev")) return std::nullopt;
  for (const std::string& path : sockets())
    if (std::optional<Answer> answer = together(path, program, words)) return answer;
  return std::nullopt;
}

int print(const Answer& answer) {
  write_all(STDOUT_FILENO, answer.out);
  write_all(STDERR_FILENO, answer.err);
  return answer.status;
}

// Commands in a file, one a line: tc -b FILE (tc(8)).
struct Batch {
  std::string file;    // "-": the standard input
  bool force = false;  // goes on after an error
  Words options;       // of each of its commands
};

std::optional<Batch> batch_of(const Words& words) {
  const auto begins = [](std::string_view whole, const std::string& word) {
    return word.size() > 1 && whole.substr(0, word.size()) == word;
  };
  Batch batch;
  for (std::size_t i = 0; i < words.size() && words[i].starts_with('-'); ++i) {
    if (begins("-batch", words[i])) {
      if (++i < words.size()) batch.file = words[i];
    } else if (begins("-force", words[i])) {
      batch.force = true;
    } else {
      batch.options.push_back(words[i]);
    }
  }
  if (batch.file.empty()) return std::nullopt;
  return batch;
}

int run(const Batch& batch, const std::string& program) {
  std::ifstream lines(batch.file == "-" ? "/dev/stdin" : batch.file);
  int status = 0;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    for (std::string more; line.ends_with('\\') && std::getline(lines, more); ++number)
      line.replace(line.size() - 1, 1, more);
    std::istringstream fields(line.substr(0, line.find('#')));
    Words words = batch.options;
    for (std::string word; fields >> word;) words.push_back(word);
    if (words.size() == batch.options.size()) continue;
    std::optional<Answer> answer = answered(program, words);
    if (!answer) answer = explained(kernels_answer(program, words));
    if (print(*answer) == 0) continue;
    write_all(STDERR_FILENO, "Command failed " + batch.file + ":" + std::to_string(number) + "\n");
    status = 1;
    if (!batch.force) break;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const Words words(argv + 1, argv + argc);
  const std::string program = kernels_tc();
  if (const std::optional<Answer> answer = answered(program, words)) return print(*answer);
  if (program.empty()) {
    write_all(STDERR_FILENO, "tc: command not found\n");
    return 127;
  }
  const std::optional<Batch> batch = batch_of(words);
  if (batch && (batch->file == "-" || ::access(batch->file.c_str(), R_OK) == 0) && !sockets().empty())
    return run(*batch, program);
  if (among(words, "dev") && !among(words, "show") && !sockets().empty())
    return print(explained(kernels_answer(program, words)));
  ::execv(program.c_str(), arguments("tc", words).data());
  std::perror(program.c_str());
  return 126;
}
