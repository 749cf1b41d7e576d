import unittest

from src.moderation.classifier import classify, is_flagged, score


class ClassifierTest(unittest.TestCase):
    def test_an_ordinary_post_has_no_score(self):
        self.assertEqual(score("Does anybody have a spare ticket for tonight?"), 0.0)

    def test_terms_add_up_and_stop_at_one(self):
        self.assertEqual(score("Free money, guaranteed"), 0.78)
        everything = "free money click here guaranteed limited offer wire transfer"
        self.assertEqual(score(everything), 1.0)

    def test_case_and_white_space_do_not_hide_a_term(self):
        self.assertEqual(score("FREE \n  Money"), score("free money"))

    def test_a_high_score_is_flagged(self):
        self.assertTrue(is_flagged(0.95))
        self.assertTrue(classify("Free money! Click here, limited offer").flagged)

    def test_a_low_score_is_not_flagged(self):
        self.assertFalse(is_flagged(0.40))
        self.assertFalse(classify("The refund is guaranteed by the shop").flagged)


if __name__ == "__main__":
    unittest.main()
