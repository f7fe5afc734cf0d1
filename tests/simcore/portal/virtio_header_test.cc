// SPDX-License-Identifier: MIT
#include "simcore/portal/virtio_header.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

TEST(VirtioHeaderTest, every_kind_of_train_goes_there_and_back) {
  for (const TrainKind kind : {TrainKind::tcp_ipv4, TrainKind::tcp_ipv6, TrainKind::udp}) {
    VirtioNetFields fields;
    fields.needs_checksum = true;
    fields.checksum_start = 34;
    fields.checksum_offset = 16;
    fields.train = kind;
    fields.gso_size = 1'448;
    fields.header_size = 66;
    EXPECT_EQ(fields_of(header_of(fields)), fields);
  }
}

TEST(VirtioHeaderTest, the_ecn_bit_does_not_hide_the_kind) {
  VirtioNetHeader header;
  header.gso_type = VirtioNetHeader::kGsoTcpv4 | VirtioNetHeader::kGsoEcn;
  const auto fields = fields_of(header);
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->train, TrainKind::tcp_ipv4);
  EXPECT_TRUE(fields->ecn);
}

TEST(VirtioHeaderTest, a_kind_that_no_train_describes_is_refused) {
  VirtioNetHeader header;
  header.gso_type = 3;  // UDP fragmentation offload
  EXPECT_FALSE(fields_of(header));
}

TEST(VirtioHeaderTest, a_single_finished_frame_has_an_empty_header) {
  const VirtioNetHeader header = header_of({});
  EXPECT_EQ(header.flags, 0);
  EXPECT_EQ(header.gso_type, VirtioNetHeader::kGsoNone);
  EXPECT_EQ(header.hdr_len, 0);
}

}  // namespace
}  // namespace simcore
