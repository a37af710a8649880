// Alltoallv by UCC between processes on one device, while each of them computes.
//
// Usage: alltoallv RANKS ROUNDS [fresh]
//
// The first process starts RANKS processes by exec. In each round a rank posts two collectives with
// separate buffers, does other work until both are done, and checks the received values. `fresh`
// frees the buffers and allocates new ones after each round. Exit: 0 if all values are right, 1 if
// not.
#include <cuda_runtime.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <ucc/api/ucc.h>
#include <unistd.h>

enum { kMostRanks = 8, kPosted = 2, kMostInts = 1024, kFiles = 100 };

static int ranks, rank;
static int lines[kMostRanks];  // Rank 0: the line to each rank; others: the first is to rank 0.

static void check(int is_right, const char* what) {
  if (is_right) return;
  fprintf(stderr, "rank %d: %s failed\n", rank, what);
  exit(1);
}
#define CUDA(call) check((call) == cudaSuccess, #call)
#define UCC(call) check((call) == UCC_OK, #call)

// ---- a network --------------------------------------------------------------------------------

static void send_all(int line, const char* bytes, size_t count) {
  for (ssize_t sent; count > 0; bytes += sent, count -= (size_t)sent)
    check((sent = write(line, bytes, count)) > 0, "write");
}

static void receive_all(int line, char* bytes, size_t count) {
  for (ssize_t got; count > 0; bytes += got, count -= (size_t)got)
    check((got = read(line, bytes, count)) > 0, "read");
}

static ucc_status_t gather(void* own, void* all, size_t bytes, void* unused, void** request) {
  (void)unused;
  char* const to = all;
  *request = all;
  if (rank != 0) {
    send_all(lines[0], own, bytes);
    receive_all(lines[0], to, bytes * (size_t)ranks);
    return UCC_OK;
  }
  memmove(to, own, bytes);
  for (int i = 1; i < ranks; ++i) receive_all(lines[i], to + bytes * (size_t)i, bytes);
  for (int i = 1; i < ranks; ++i) send_all(lines[i], to, bytes * (size_t)ranks);
  return UCC_OK;
}

static ucc_status_t is_gathered(void* request) {
  (void)request;
  return UCC_OK;
}

static ucc_oob_coll_t network(void) {
  return (ucc_oob_coll_t){.allgather = gather,
                          .req_test = is_gathered,
                          .req_free = is_gathered,
                          .n_oob_eps = (uint32_t)ranks,
                          .oob_ep = (uint32_t)rank};
}

static void meet(void) {
  char own = 0, all[kMostRanks];
  void* request;
  gather(&own, all, 1, NULL, &request);
}

// ---- what is sent -----------------------------------------------------------------------------

/// Returns how many numbers one rank sends to another.
static uint64_t count_of(int from, int to, int which) {
  return 16 + 8 * (uint64_t)((from * 3 + to * 5 + which * 7) % 4);
}
static int number_of(int from, int to, int which, int round, int place) {
  return ((((round * kPosted + which) * kMostRanks + from) * kMostRanks + to) << 8) + place;
}

typedef struct {
  int *from, *to;  // In device memory.
  uint64_t sent[kMostRanks], sent_at[kMostRanks], got[kMostRanks], got_at[kMostRanks];
  ucc_coll_req_h request;
} Exchange;

static void allocate(Exchange* all) {
  for (int which = 0; which < kPosted; ++which) {
    CUDA(cudaMalloc((void**)&all[which].from, kMostInts * sizeof(int)));
    CUDA(cudaMalloc((void**)&all[which].to, kMostInts * sizeof(int)));
  }
}

static void release(Exchange* all) {
  for (int which = 0; which < kPosted; ++which) {
    CUDA(cudaFree(all[which].from));
    CUDA(cudaFree(all[which].to));
  }
}

static void post(ucc_team_h team, Exchange* one, int which, int round) {
  int numbers[kMostInts];
  uint64_t sent = 0, got = 0;
  for (int peer = 0; peer < ranks; ++peer) {
    one->sent[peer] = count_of(rank, peer, which);
    one->got[peer] = count_of(peer, rank, which);
    one->sent_at[peer] = sent;
    one->got_at[peer] = got;
    for (uint64_t i = 0; i < one->sent[peer]; ++i)
      numbers[sent + i] = number_of(rank, peer, which, round, (int)i);
    sent += one->sent[peer];
    got += one->got[peer];
  }
  CUDA(cudaMemcpy(one->from, numbers, sent * sizeof(int), cudaMemcpyHostToDevice));
  CUDA(cudaMemset(one->to, 0, kMostInts * sizeof(int)));
  CUDA(cudaDeviceSynchronize());
  ucc_coll_args_t args = {.mask = UCC_COLL_ARGS_FIELD_FLAGS, .coll_type = UCC_COLL_TYPE_ALLTOALLV};
  args.flags = UCC_COLL_ARGS_FLAG_COUNT_64BIT | UCC_COLL_ARGS_FLAG_DISPLACEMENTS_64BIT |
               UCC_COLL_ARGS_FLAG_CONTIG_SRC_BUFFER | UCC_COLL_ARGS_FLAG_CONTIG_DST_BUFFER;
  args.src.info_v.buffer = one->from;
  args.src.info_v.counts = one->sent;
  args.src.info_v.displacements = one->sent_at;
  args.dst.info_v.buffer = one->to;
  args.dst.info_v.counts = one->got;
  args.dst.info_v.displacements = one->got_at;
  args.src.info_v.datatype = args.dst.info_v.datatype = UCC_DT_INT32;
  args.src.info_v.mem_type = args.dst.info_v.mem_type = UCC_MEMORY_TYPE_CUDA;
  UCC(ucc_collective_init(&args, &one->request, team));
  UCC(ucc_collective_post(one->request));
}

static void look(const Exchange* one, int which, int round) {
  int numbers[kMostInts];
  CUDA(cudaMemcpy(numbers, one->to, sizeof numbers, cudaMemcpyDeviceToHost));
  for (int peer = 0; peer < ranks; ++peer)
    for (uint64_t i = 0; i < one->got[peer]; ++i)
      check(numbers[one->got_at[peer] + i] == number_of(peer, rank, which, round, (int)i),
            "a number that came");
}

// ---- the processes ----------------------------------------------------------------------------

static int work(int rounds, int is_fresh) {
  CUDA(cudaSetDevice(0));
  CUDA(cudaFree(NULL));
  cudaStream_t own;
  int* own_memory;
  CUDA(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
  CUDA(cudaMalloc((void**)&own_memory, 256));

  ucc_lib_params_t lib_params = {.mask = UCC_LIB_PARAM_FIELD_THREAD_MODE,
                                 .thread_mode = UCC_THREAD_SINGLE};
  ucc_lib_config_h lib_config;
  ucc_lib_h lib;
  UCC(ucc_lib_config_read(NULL, NULL, &lib_config));
  UCC(ucc_init(&lib_params, lib_config, &lib));
  ucc_lib_config_release(lib_config);

  ucc_context_params_t context_params = {.mask = UCC_CONTEXT_PARAM_FIELD_OOB, .oob = network()};
  ucc_context_config_h context_config;
  ucc_context_h context;
  UCC(ucc_context_config_read(lib, NULL, &context_config));
  UCC(ucc_context_create(lib, &context_params, context_config, &context));
  ucc_context_config_release(context_config);

  ucc_team_params_t team_params = {.mask = UCC_TEAM_PARAM_FIELD_OOB, .oob = network()};
  ucc_team_h team;
  UCC(ucc_team_create_post(&context, 1, &team_params, &team));
  ucc_status_t status;
  while ((status = ucc_team_create_test(team)) == UCC_INPROGRESS) ucc_context_progress(context);
  UCC(status);

  Exchange exchanges[kPosted];
  allocate(exchanges);
  for (int round = 0; round < rounds; ++round) {
    for (int which = 0; which < kPosted; ++which) post(team, &exchanges[which], which, round);
    for (int done = 0; done < kPosted;) {
      CUDA(cudaMemsetAsync(own_memory, done, 256, own));  // The work to overlap with.
      ucc_context_progress(context);
      while (done < kPosted && (status = ucc_collective_test(exchanges[done].request)) == UCC_OK)
        ++done;
      if (status != UCC_INPROGRESS) UCC(status);
    }
    for (int which = 0; which < kPosted; ++which) {
      UCC(ucc_collective_finalize(exchanges[which].request));
      look(&exchanges[which], which, round);
    }
    if (!is_fresh) continue;
    release(exchanges);
    allocate(exchanges);
  }
  meet();
  while ((status = ucc_team_destroy(team)) == UCC_INPROGRESS) ucc_context_progress(context);
  UCC(status);
  UCC(ucc_context_destroy(context));
  UCC(ucc_finalize(lib));
  printf("rank %d of %d: %d rounds\n", rank, ranks, rounds);
  return 0;
}

int main(int count, char** words) {
  if (count < 3) return 2;
  ranks = atoi(words[1]);
  check(ranks >= 2 && ranks <= kMostRanks, "the number of ranks");
  const char* const place = getenv("ALLTOALLV_PLACE");
  if (place != NULL) {
    rank = atoi(place);
    for (int i = 1; i < ranks; ++i) {
      lines[rank == 0 ? i : 0] = rank == 0 ? kFiles + i : kFiles + kMostRanks + rank;
      if (rank != 0) close(kFiles + i);  // So that a reader sees the end if its writer dies.
      if (rank != i) close(kFiles + kMostRanks + i);
    }
    return work(atoi(words[2]), count > 3);
  }
  for (int i = 1; i < ranks; ++i) {
    int ends[2];
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
    check(dup2(ends[0], kFiles + i) >= 0 && dup2(ends[1], kFiles + kMostRanks + i) >= 0, "dup2");
    close(ends[0]);
    close(ends[1]);
  }
  pid_t started[kMostRanks];
  for (int i = 0; i < ranks; ++i) {
    if ((started[i] = fork()) != 0) continue;
    char number[8];
    snprintf(number, sizeof number, "%d", i);
    setenv("ALLTOALLV_PLACE", number, 1);
    execv("/proc/self/exe", words);
    _exit(127);
  }
  int worst = 0;
  for (int status; wait(&status) > 0;) {
    if (status == 0 || worst != 0) continue;
    worst = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : 1;
    for (int i = 0; i < ranks; ++i) kill(started[i], SIGKILL);  // They would wait for it forever.
  }
  return worst;
}
