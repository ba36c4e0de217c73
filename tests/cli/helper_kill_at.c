/* helper_kill_at STOP MARK COMMAND...: run the command under ptrace and kill it, by SIGKILL, at a
   stop of the phase that begins when it creates a file whose name contains MARK. Every system call
   of its first thread has two stops: odd ones before the call, which then never happens, even ones
   after it. With STOP 0 nobody is killed, and the names of the calls that make a save safe are
   printed. Exit status: 0 killed at that stop, 1 the command ended before it, 2 no such phase,
   77 not allowed to trace. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KILLED, ENDED, NO_PHASE, NOT_ALLOWED = 77, SYSCALL_STOP = SIGTRAP | 0x80 };

static int start(char **command) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(NOT_ALLOWED);
    (void)raise(SIGSTOP);
    execvp(command[0], command);
    _exit(126);
}

/* Whether the stop is at the creation of a file of that name. */
static bool creates(pid_t child, const struct __ptrace_syscall_info *info, const char *mark) {
    if (info->op != PTRACE_SYSCALL_INFO_ENTRY || info->entry.nr != SYS_openat ||
        !(info->entry.args[2] & O_CREAT))
        return false;
    char name[4096];
    ssize_t got = 0;
    /* byte by byte: the name may end right before a page that is not there */
    for (; got < (ssize_t)sizeof name - 1; got++) {
        struct iovec here = {name + got, 1},
                     there = {(void *)(unsigned long)(info->entry.args[1] + (unsigned long)got), 1};
        if (process_vm_readv(child, &here, 1, &there, 1, 0) != 1 || name[got] == '\0') break;
    }
    name[got] = '\0';
    return strstr(name, mark) != NULL;
}

static void name_call(const struct __ptrace_syscall_info *info) {
    static const struct {
        unsigned long number;
        const char *name;
    } calls[] = {
        {SYS_write, "write"},     {SYS_fsync, "fsync"}, {SYS_renameat2, "rename"},
#ifdef SYS_rename
        {SYS_rename, "rename"},
#endif
#ifdef SYS_renameat
        {SYS_renameat, "rename"},
#endif
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (info->op == PTRACE_SYSCALL_INFO_ENTRY && info->entry.nr == calls[i].number)
            (void)puts(calls[i].name);
}

/* Built to count what is run, a program writes its counts last, which are no part of it. */
static int let_go(pid_t child) {
    int status;
    if (ptrace(PTRACE_DETACH, child, NULL, NULL) != 0) return NOT_ALLOWED;
    return waitpid(child, &status, 0) == child ? ENDED : NOT_ALLOWED;
}

static int follow(pid_t child, long stop, const char *mark) {
    int status, signal = 0;
    long seen = 0;
    for (;;) {
        if (ptrace(PTRACE_SYSCALL, child, NULL, (void *)(long)signal) != 0) return NOT_ALLOWED;
        if (waitpid(child, &status, 0) != child) return NOT_ALLOWED;
        if (!WIFSTOPPED(status)) return seen > 0 ? ENDED : NO_PHASE;
        signal = WSTOPSIG(status);
        if (signal != SYSCALL_STOP) {
            if (signal == SIGTRAP) signal = 0; /* of the exec */
            continue;
        }
        signal = 0;
        struct __ptrace_syscall_info info;
        if (ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof info, &info) <= 0)
            return NOT_ALLOWED;
        if (seen > 0 && creates(child, &info, ".gcda")) return let_go(child);
        if (seen > 0 || creates(child, &info, mark)) seen++;
        if (seen > 0 && stop == 0) name_call(&info);
        if (seen > 0 && seen == stop) {
            (void)kill(child, SIGKILL);
            (void)waitpid(child, &status, 0);
            return WIFSIGNALED(status) ? KILLED : ENDED;
        }
    }
}

int main(int count, char **words) {
    if (count < 4) return 64;
    pid_t child = fork();
    if (child < 0) return NOT_ALLOWED;
    if (child == 0) start(words + 3);
    int status;
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return NOT_ALLOWED;
    if (ptrace(PTRACE_SETOPTIONS, child, NULL,
               (void *)(long)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)) != 0)
        return NOT_ALLOWED;
    return follow(child, strtol(words[1], NULL, 10), words[2]);
}
