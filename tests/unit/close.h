/* Doubles that must be near: cmocka's own comparison works in float. */
#ifndef TESTS_UNIT_CLOSE_H
#define TESTS_UNIT_CLOSE_H

#define assert_close(got, wanted, slack)                                                           \
    do {                                                                                           \
        double got_ = (got), wanted_ = (wanted), slack_ = (slack);                                 \
        if (!(got_ - wanted_ <= slack_ && wanted_ - got_ <= slack_))                               \
            fail_msg("%s is %.17g, not %.17g +- %g", #got, got_, wanted_, slack_);                 \
    } while (0)

#endif
